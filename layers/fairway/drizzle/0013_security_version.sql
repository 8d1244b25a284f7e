ALTER TABLE `sessions` ADD `proves_address` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `security_version` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `claim_since` integer;--> statement-breakpoint
ALTER TABLE `two_factor_sign_ins` ADD `proves_address` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `two_factor_sign_ins` ADD `security_version` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `email_links` ADD `approved_at` integer;--> statement-breakpoint
ALTER TABLE `email_links` ADD `approved_version` integer;