CREATE TABLE `notes` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_email` text NOT NULL,
	`org_id` text,
	`visibility` text DEFAULT 'private' NOT NULL,
	`title` text NOT NULL,
	`text` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `notes_owner` ON `notes` (`owner_email`,`updated_at`);--> statement-breakpoint
CREATE INDEX `notes_org` ON `notes` (`org_id`,`visibility`);--> statement-breakpoint
CREATE INDEX `notes_org_id` ON `notes` (`org_id`,`id`);