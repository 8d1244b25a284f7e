ALTER TABLE `fw_org_connections` ADD `secret_ends_at` integer;--> statement-breakpoint
ALTER TABLE `fw_org_connections` ADD `secret_told_days` integer;--> statement-breakpoint
CREATE INDEX `fw_org_connections_secret_end` ON `fw_org_connections` (`secret_ends_at`) WHERE secret_ends_at is not null;