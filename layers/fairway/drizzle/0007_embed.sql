CREATE TABLE `embed_tickets` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`org_id` text,
	`session_id` text,
	`page` text NOT NULL,
	`path` text NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `embed_tickets_expires` ON `embed_tickets` (`expires_at`);--> statement-breakpoint
CREATE TABLE `embed_tokens` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`org_id` text,
	`session_id` text,
	`page` text NOT NULL,
	`path` text NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `embed_tokens_expires` ON `embed_tokens` (`expires_at`);