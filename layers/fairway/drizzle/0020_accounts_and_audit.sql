CREATE TABLE `fw_address_changes` (
	`user_id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`session_id` text,
	`old_confirmed_at` integer,
	`new_confirmed_at` integer,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `fw_user_pictures` (
	`user_id` text PRIMARY KEY NOT NULL,
	`version` text NOT NULL,
	`type` text NOT NULL,
	`bytes` blob NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
DROP INDEX `audit_log_org_at`;--> statement-breakpoint
ALTER TABLE `audit_log` ADD `subject_type` text;--> statement-breakpoint
ALTER TABLE `audit_log` ADD `subject_id` text;--> statement-breakpoint
ALTER TABLE `audit_log` ADD `subject_title` text;--> statement-breakpoint
CREATE INDEX `fw_audit_log_org_action` ON `audit_log` (`org_id`,`action`,`at`,`id`);--> statement-breakpoint
CREATE INDEX `fw_audit_log_org_person` ON `audit_log` (`org_id`,`user_email`,`at`,`id`);--> statement-breakpoint
CREATE INDEX `fw_audit_log_org_subject` ON `audit_log` (`org_id`,`subject_type`,`subject_id`,`at`,`id`);--> statement-breakpoint
CREATE INDEX `audit_log_org_at` ON `audit_log` (`org_id`,`at`,`id`);--> statement-breakpoint
DROP INDEX `security_events_user`;--> statement-breakpoint
ALTER TABLE `security_events` ADD `device` text;--> statement-breakpoint
CREATE INDEX `security_events_user` ON `security_events` (`user_id`,`at`);--> statement-breakpoint
ALTER TABLE `oauth_grants` ADD `may_delete` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `oauth_grants` ADD `token_hash` text;--> statement-breakpoint
ALTER TABLE `oauth_grants` ADD `used_from` text;--> statement-breakpoint
CREATE UNIQUE INDEX `fw_oauth_grants_token` ON `oauth_grants` (`token_hash`);--> statement-breakpoint
ALTER TABLE `accounts` ADD `provider_email` text;--> statement-breakpoint
ALTER TABLE `accounts` ADD `last_used_at` integer;