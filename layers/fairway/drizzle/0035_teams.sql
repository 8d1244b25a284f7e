CREATE TABLE `fw_team_members` (
	`org_id` text NOT NULL,
	`team_id` text NOT NULL,
	`user_id` text NOT NULL,
	`added_by` text NOT NULL,
	`added_at` integer NOT NULL,
	PRIMARY KEY(`team_id`, `user_id`)
);
--> statement-breakpoint
CREATE INDEX `fw_team_members_user` ON `fw_team_members` (`user_id`,`org_id`,`team_id`);--> statement-breakpoint
CREATE INDEX `fw_team_members_org` ON `fw_team_members` (`org_id`,`user_id`);--> statement-breakpoint
CREATE TABLE `fw_teams` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`group_id` text,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `fw_teams_name` ON `fw_teams` (`org_id`,`name_key`) WHERE group_id is null;--> statement-breakpoint
CREATE UNIQUE INDEX `fw_teams_group` ON `fw_teams` (`group_id`) WHERE group_id is not null;--> statement-breakpoint
CREATE INDEX `fw_teams_org` ON `fw_teams` (`org_id`,`name_key`);--> statement-breakpoint
CREATE INDEX `fw_teams_creator` ON `fw_teams` (`created_by`);--> statement-breakpoint
ALTER TABLE `fw_directory_mapping` ADD `is_team` integer DEFAULT false NOT NULL;