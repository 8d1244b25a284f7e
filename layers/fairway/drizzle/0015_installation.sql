CREATE TABLE `fw_installation` (
	`id` text PRIMARY KEY NOT NULL,
	`marked_at` integer
);
