CREATE TABLE `fw_org_connections` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`issuer` text,
	`client_id` text,
	`client_auth` text NOT NULL,
	`client_secret` text,
	`domain` text,
	`provision` integer NOT NULL,
	`default_role` text NOT NULL,
	`state` text NOT NULL,
	`test` text,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `fw_org_connections_org` ON `fw_org_connections` (`org_id`,`created_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `fw_org_connections_active` ON `fw_org_connections` (`org_id`,`domain`) WHERE state = 'active';--> statement-breakpoint
CREATE UNIQUE INDEX `fw_org_connections_active_for_all` ON `fw_org_connections` (`org_id`) WHERE state = 'active' and domain is null;--> statement-breakpoint
CREATE INDEX `fw_org_connections_creator` ON `fw_org_connections` (`created_by`);--> statement-breakpoint
ALTER TABLE `organizations` ADD `required_auth_guests` integer DEFAULT false NOT NULL;