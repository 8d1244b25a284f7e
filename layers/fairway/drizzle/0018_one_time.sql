CREATE TABLE `fw_one_time` (
	`hash` text PRIMARY KEY NOT NULL,
	`purpose` text NOT NULL,
	`subject` text,
	`browser_hash` text,
	`payload` text,
	`tries` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer
);
--> statement-breakpoint
CREATE INDEX `fw_one_time_subject` ON `fw_one_time` (`subject`,`purpose`,`created_at`);--> statement-breakpoint
CREATE INDEX `fw_one_time_browser` ON `fw_one_time` (`browser_hash`);--> statement-breakpoint
CREATE INDEX `fw_one_time_expires` ON `fw_one_time` (`expires_at`);