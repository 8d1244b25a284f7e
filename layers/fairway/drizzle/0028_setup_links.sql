CREATE TABLE `fw_setup_links` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`email` text NOT NULL,
	`token_hash` text NOT NULL,
	`connection_id` text,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`last_used_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `fw_setup_links_token` ON `fw_setup_links` (`token_hash`);--> statement-breakpoint
CREATE INDEX `fw_setup_links_org` ON `fw_setup_links` (`org_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `fw_setup_links_creator` ON `fw_setup_links` (`created_by`);--> statement-breakpoint
CREATE INDEX `fw_setup_links_expires` ON `fw_setup_links` (`expires_at`);--> statement-breakpoint
CREATE TABLE `fw_setup_proposals` (
	`link_id` text NOT NULL,
	`step` text NOT NULL,
	`version` text NOT NULL,
	`value` text NOT NULL,
	`proposed_at` integer NOT NULL,
	`confirmed_by` text,
	`opened_at` integer,
	PRIMARY KEY(`link_id`, `step`)
);
--> statement-breakpoint
CREATE INDEX `fw_setup_proposals_confirmer` ON `fw_setup_proposals` (`confirmed_by`);--> statement-breakpoint
ALTER TABLE `fw_org_connections` ADD `secret_ends_at` integer;--> statement-breakpoint
ALTER TABLE `fw_org_connections` ADD `secret_told_days` integer;--> statement-breakpoint
CREATE INDEX `fw_org_connections_secret_end` ON `fw_org_connections` (`secret_ends_at`) WHERE secret_ends_at is not null;