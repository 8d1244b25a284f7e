CREATE TABLE `email_links` (
	`id` text PRIMARY KEY NOT NULL,
	`purpose` text NOT NULL,
	`email` text NOT NULL,
	`token_hash` text NOT NULL,
	`flow_hash` text NOT NULL,
	`payload` text NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	`approved_user_id` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `email_links_token` ON `email_links` (`token_hash`);--> statement-breakpoint
CREATE INDEX `email_links_flow` ON `email_links` (`flow_hash`);--> statement-breakpoint
CREATE INDEX `email_links_email` ON `email_links` (`email`,`purpose`,`created_at`);--> statement-breakpoint
CREATE INDEX `email_links_expires` ON `email_links` (`expires_at`);--> statement-breakpoint
CREATE TABLE `mail_outbox` (
	`id` text PRIMARY KEY NOT NULL,
	`content` text NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`next_try_at` integer,
	`failed_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `mail_outbox_next_try` ON `mail_outbox` (`next_try_at`);