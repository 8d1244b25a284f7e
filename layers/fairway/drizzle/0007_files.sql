CREATE TABLE `fw_files` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`user_id` text,
	`upload` text NOT NULL,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`size` integer NOT NULL,
	`sha256` text NOT NULL,
	`width` integer,
	`height` integer,
	`state` text NOT NULL,
	`table_name` text,
	`row_id` text,
	`column_name` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `fw_files_state` ON `fw_files` (`state`,`created_at`);--> statement-breakpoint
CREATE INDEX `fw_files_org` ON `fw_files` (`org_id`);--> statement-breakpoint
CREATE INDEX `fw_files_user` ON `fw_files` (`user_id`);--> statement-breakpoint
CREATE INDEX `fw_files_row` ON `fw_files` (`table_name`,`column_name`,`row_id`);