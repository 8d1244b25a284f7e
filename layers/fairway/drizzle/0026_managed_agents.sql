CREATE TABLE `fw_managed_clients` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`secret_hash` text NOT NULL,
	`redirect_uris` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `fw_managed_clients_org` ON `fw_managed_clients` (`org_id`,`created_at`);--> statement-breakpoint
ALTER TABLE `oauth_grants` ADD `assertion_issuer` text;--> statement-breakpoint
ALTER TABLE `oauth_grants` ADD `signed_in_at` integer;--> statement-breakpoint
CREATE UNIQUE INDEX `fw_oauth_grants_asserted` ON `oauth_grants` (`client_id`,`user_id`,`org_id`) WHERE assertion_issuer is not null and revoked_at is null;--> statement-breakpoint
ALTER TABLE `fw_org_connections` ADD `managed_agents` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `fw_org_connections` ADD `assertion_issuers` text;--> statement-breakpoint
CREATE INDEX `fw_org_connections_agents` ON `fw_org_connections` (`org_id`) WHERE managed_agents = 1;