ALTER TABLE `oauth_grants` ADD `proved_second_factor` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `embed_tokens` ADD `proved_second_factor` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `proved_second_factor` integer DEFAULT false NOT NULL;