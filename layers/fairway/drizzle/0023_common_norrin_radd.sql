ALTER TABLE `oauth_grants` ADD `provider_domain` text;--> statement-breakpoint
ALTER TABLE `organizations` ADD `required_auth_domain` text;--> statement-breakpoint
ALTER TABLE `embed_tokens` ADD `provider_domain` text;--> statement-breakpoint
ALTER TABLE `accounts` ADD `provider_domain` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `provider_domain` text;