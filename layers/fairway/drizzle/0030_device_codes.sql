CREATE TABLE `fw_device_codes` (
	`hash` text PRIMARY KEY NOT NULL,
	`user_code_hash` text NOT NULL,
	`client_id` text NOT NULL,
	`scope` text NOT NULL,
	`asked_from` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`poll_interval` integer NOT NULL,
	`polled_at` integer,
	`decided_at` integer,
	`grant_id` text,
	`used_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `fw_device_codes_user_code` ON `fw_device_codes` (`user_code_hash`);--> statement-breakpoint
CREATE INDEX `fw_device_codes_expires` ON `fw_device_codes` (`expires_at`);