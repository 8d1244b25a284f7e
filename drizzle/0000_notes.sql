CREATE TABLE IF NOT EXISTS `notes` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_email` text NOT NULL,
	`org_id` text,
	`visibility` text DEFAULT 'private' NOT NULL,
	`title` text NOT NULL,
	`text` text DEFAULT '' NOT NULL,
	`pinned` integer DEFAULT false NOT NULL,
	`archived` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `notes_owner` ON `notes` (`owner_email`,`archived`,`pinned`,`updated_at`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `notes_org` ON `notes` (`org_id`,`visibility`,`archived`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `notes_org_id` ON `notes` (`org_id`,`id`);