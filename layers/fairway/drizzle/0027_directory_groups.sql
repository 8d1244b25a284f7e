CREATE TABLE `fw_directory_group_members` (
	`org_id` text NOT NULL,
	`group_id` text NOT NULL,
	`person_id` text NOT NULL,
	PRIMARY KEY(`group_id`, `person_id`)
);
--> statement-breakpoint
CREATE INDEX `fw_directory_group_members_person` ON `fw_directory_group_members` (`person_id`,`group_id`);--> statement-breakpoint
CREATE INDEX `fw_directory_group_members_org` ON `fw_directory_group_members` (`org_id`);--> statement-breakpoint
CREATE TABLE `fw_directory_groups` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`display_name` text NOT NULL,
	`display_name_key` text NOT NULL,
	`external_id` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `fw_directory_groups_name` ON `fw_directory_groups` (`org_id`,`display_name_key`);--> statement-breakpoint
CREATE INDEX `fw_directory_groups_created` ON `fw_directory_groups` (`org_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `fw_directory_groups_external` ON `fw_directory_groups` (`org_id`,`external_id`) WHERE external_id is not null;--> statement-breakpoint
CREATE TABLE `fw_directory_mapping` (
	`org_id` text NOT NULL,
	`group_id` text NOT NULL,
	`position` integer NOT NULL,
	`org_role` text,
	`app_id` text,
	`role` text,
	PRIMARY KEY(`org_id`, `group_id`)
);
--> statement-breakpoint
CREATE TABLE `fw_directory_roles` (
	`org_id` text NOT NULL,
	`user_id` text NOT NULL,
	`role` text NOT NULL,
	PRIMARY KEY(`org_id`, `user_id`)
);
--> statement-breakpoint
CREATE INDEX `fw_directory_roles_user` ON `fw_directory_roles` (`user_id`);--> statement-breakpoint
ALTER TABLE `fw_directory_people` ADD `made_account` integer DEFAULT false NOT NULL;