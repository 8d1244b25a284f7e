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
CREATE UNIQUE INDEX `fw_org_roles_name` ON `fw_org_roles` (`org_id`,`name_key`);