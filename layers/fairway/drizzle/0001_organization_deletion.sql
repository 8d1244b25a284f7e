CREATE TABLE `fw_suspended_members` (
	`org_id` text NOT NULL,
	`user_id` text NOT NULL,
	`role` text NOT NULL,
	`joined_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `user_id`)
);
--> statement-breakpoint
CREATE INDEX `fw_suspended_members_user` ON `fw_suspended_members` (`user_id`);--> statement-breakpoint
ALTER TABLE `organizations` ADD `agents_read_only` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `organizations` ADD `deleted_at` integer;--> statement-breakpoint
ALTER TABLE `organizations` ADD `purge_at` integer;--> statement-breakpoint
CREATE INDEX `fw_organizations_purge` ON `organizations` (`purge_at`) WHERE purge_at is not null;