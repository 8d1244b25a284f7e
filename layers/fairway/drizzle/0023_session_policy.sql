ALTER TABLE `oauth_grants` ADD `longest_pause` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `organizations` ADD `session_idle_minutes` integer;--> statement-breakpoint
ALTER TABLE `organizations` ADD `session_max_hours` integer;--> statement-breakpoint
ALTER TABLE `organizations` ADD `session_networks` text;--> statement-breakpoint
ALTER TABLE `organizations` ADD `session_policy_apps` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `longest_pause` integer DEFAULT 0 NOT NULL;