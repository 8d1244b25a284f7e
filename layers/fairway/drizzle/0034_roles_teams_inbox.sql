CREATE TABLE `fw_org_role_members` (
	`org_id` text NOT NULL,
	`role_id` text NOT NULL,
	`user_id` text NOT NULL,
	`team_id` text DEFAULT '' NOT NULL,
	`assigned_by` text NOT NULL,
	`assigned_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `role_id`, `user_id`, `team_id`)
);
--> statement-breakpoint
CREATE INDEX `fw_org_role_members_user` ON `fw_org_role_members` (`user_id`,`org_id`,`team_id`,`role_id`);--> statement-breakpoint
CREATE TABLE `fw_org_roles` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`permissions` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `fw_org_roles_name` ON `fw_org_roles` (`org_id`,`name_key`);--> statement-breakpoint
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
CREATE TABLE `fw_inbox_signals` (
	`place` integer PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `fw_inbox_signals_user` ON `fw_inbox_signals` (`user_id`);--> statement-breakpoint
CREATE TABLE `fw_notifications` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`org_id` text,
	`name` text NOT NULL,
	`title` text NOT NULL,
	`text` text NOT NULL,
	`href` text,
	`created_at` integer NOT NULL,
	`read_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `fw_notifications_user` ON `fw_notifications` (`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `fw_notifications_unread` ON `fw_notifications` (`user_id`,`org_id`) WHERE read_at is null;--> statement-breakpoint
CREATE INDEX `fw_notifications_org` ON `fw_notifications` (`org_id`);--> statement-breakpoint
CREATE INDEX `fw_notifications_created` ON `fw_notifications` (`created_at`);--> statement-breakpoint
ALTER TABLE `fw_directory_mapping` ADD `is_team` integer DEFAULT false NOT NULL;