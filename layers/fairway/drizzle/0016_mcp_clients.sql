CREATE TABLE `oauth_document_outages` (
	`id` text PRIMARY KEY NOT NULL,
	`cause` text NOT NULL,
	`failed_at` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `oauth_clients` ADD `grant_types` text;--> statement-breakpoint
ALTER TABLE `oauth_clients` ADD `fingerprint` text;--> statement-breakpoint
CREATE INDEX `oauth_clients_fingerprint` ON `oauth_clients` (`fingerprint`,`created_at`);--> statement-breakpoint
ALTER TABLE `oauth_grants` ADD `redirect_uri` text;--> statement-breakpoint
ALTER TABLE `oauth_grants` ADD `called_at` integer;