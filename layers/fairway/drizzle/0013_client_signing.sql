ALTER TABLE `oauth_clients` ADD `signing` text;--> statement-breakpoint
ALTER TABLE `oauth_grants` ADD `must_sign` integer DEFAULT false NOT NULL;