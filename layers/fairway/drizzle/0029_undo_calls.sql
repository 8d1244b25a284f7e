CREATE TABLE `fw_undo_calls` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`action` text NOT NULL,
	`request_id` text NOT NULL,
	`user_id` text NOT NULL,
	`org_id` text NOT NULL,
	`via` text,
	`call` text NOT NULL,
	`left_rows` text NOT NULL,
	`is_open` integer NOT NULL,
	`undone_at` integer
);
--> statement-breakpoint
CREATE INDEX `fw_undo_calls_request` ON `fw_undo_calls` (`request_id`);--> statement-breakpoint
CREATE INDEX `fw_undo_calls_app` ON `fw_undo_calls` (`org_id`,`user_id`,`via`,`at`);--> statement-breakpoint
CREATE INDEX `fw_undo_calls_user` ON `fw_undo_calls` (`user_id`);--> statement-breakpoint
CREATE INDEX `fw_undo_calls_at` ON `fw_undo_calls` (`at`);