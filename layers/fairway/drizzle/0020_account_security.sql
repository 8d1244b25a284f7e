DROP INDEX `security_events_user`;--> statement-breakpoint
ALTER TABLE `security_events` ADD `device` text;--> statement-breakpoint
CREATE INDEX `security_events_user` ON `security_events` (`user_id`,`at`);--> statement-breakpoint
ALTER TABLE `oauth_grants` ADD `token_hash` text;--> statement-breakpoint
ALTER TABLE `oauth_grants` ADD `used_from` text;--> statement-breakpoint
CREATE UNIQUE INDEX `fw_oauth_grants_token` ON `oauth_grants` (`token_hash`);--> statement-breakpoint
ALTER TABLE `accounts` ADD `provider_email` text;--> statement-breakpoint
ALTER TABLE `accounts` ADD `last_used_at` integer;