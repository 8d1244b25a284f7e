CREATE TABLE `fw_inbox_signals` (
	`place` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `fw_inbox_signals_at` ON `fw_inbox_signals` (`at`);--> statement-breakpoint
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
CREATE INDEX `fw_notifications_created` ON `fw_notifications` (`created_at`);