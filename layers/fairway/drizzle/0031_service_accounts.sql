CREATE TABLE `fw_service_account_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`hash` text NOT NULL,
	`end` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`last_used_at` integer,
	`told_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `fw_service_account_keys_hash` ON `fw_service_account_keys` (`hash`);--> statement-breakpoint
CREATE INDEX `fw_service_account_keys_account` ON `fw_service_account_keys` (`account_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `fw_service_account_keys_expires` ON `fw_service_account_keys` (`expires_at`);--> statement-breakpoint
CREATE INDEX `fw_service_account_keys_maker` ON `fw_service_account_keys` (`created_by`);--> statement-breakpoint
CREATE TABLE `fw_service_accounts` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`role` text NOT NULL,
	`app_roles` text NOT NULL,
	`scopes` text NOT NULL,
	`read_only` integer NOT NULL,
	`destructive` integer NOT NULL,
	`jwks` text,
	`jwks_at` integer,
	`jwks_by` text,
	`owner_id` text NOT NULL,
	`inherited_at` integer,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`used_from` text,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE INDEX `fw_service_accounts_org` ON `fw_service_accounts` (`org_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `fw_service_accounts_owner` ON `fw_service_accounts` (`owner_id`,`org_id`);--> statement-breakpoint
CREATE INDEX `fw_service_accounts_maker` ON `fw_service_accounts` (`created_by`);--> statement-breakpoint
CREATE INDEX `fw_service_accounts_jwks` ON `fw_service_accounts` (`jwks_by`) WHERE jwks_by is not null;--> statement-breakpoint
CREATE INDEX `fw_service_accounts_inherited` ON `fw_service_accounts` (`inherited_at`) WHERE inherited_at is not null;