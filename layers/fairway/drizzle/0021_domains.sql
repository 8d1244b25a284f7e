CREATE TABLE `fw_org_domains` (
	`org_id` text NOT NULL,
	`domain` text NOT NULL,
	`token` text NOT NULL,
	`status` text NOT NULL,
	`proved_at` integer,
	`checked_at` integer,
	`misses` integer DEFAULT 0 NOT NULL,
	`missed_since` integer,
	`missed_at` integer,
	`lapsed_at` integer,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `domain`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `fw_org_domains_held` ON `fw_org_domains` (`domain`) WHERE status <> 'pending';--> statement-breakpoint
CREATE INDEX `fw_org_domains_checked` ON `fw_org_domains` (`status`,`checked_at`);--> statement-breakpoint
CREATE INDEX `fw_org_domains_creator` ON `fw_org_domains` (`created_by`);