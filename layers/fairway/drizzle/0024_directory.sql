CREATE TABLE `fw_directories` (
	`org_id` text PRIMARY KEY NOT NULL,
	`token_hash` text NOT NULL,
	`token_end` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `fw_directories_token` ON `fw_directories` (`token_hash`);--> statement-breakpoint
CREATE TABLE `fw_directory_people` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`user_id` text,
	`user_name` text NOT NULL,
	`user_name_key` text NOT NULL,
	`external_id` text,
	`email` text NOT NULL,
	`active` integer NOT NULL,
	`data` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `fw_directory_people_name` ON `fw_directory_people` (`org_id`,`user_name_key`);--> statement-breakpoint
CREATE INDEX `fw_directory_people_created` ON `fw_directory_people` (`org_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `fw_directory_people_external` ON `fw_directory_people` (`org_id`,`external_id`) WHERE external_id is not null;--> statement-breakpoint
CREATE INDEX `fw_directory_people_user` ON `fw_directory_people` (`user_id`);--> statement-breakpoint
CREATE TABLE `fw_kept_out_members` (
	`org_id` text NOT NULL,
	`user_id` text NOT NULL,
	`since` integer NOT NULL,
	PRIMARY KEY(`org_id`, `user_id`)
);
--> statement-breakpoint
CREATE INDEX `fw_kept_out_members_user` ON `fw_kept_out_members` (`user_id`);