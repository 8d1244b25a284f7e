CREATE TABLE `a2a_approvals` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`org_id` text,
	`caller` text NOT NULL,
	`action` text NOT NULL,
	`input` text NOT NULL,
	`status` text NOT NULL,
	`answer` text,
	`created_at` integer NOT NULL,
	`decided_at` integer,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `a2a_approvals_expires` ON `a2a_approvals` (`expires_at`);--> statement-breakpoint
CREATE INDEX `a2a_approvals_user` ON `a2a_approvals` (`user_id`);--> statement-breakpoint
CREATE TABLE `audit_heads` (
	`chain` text PRIMARY KEY NOT NULL,
	`seq` integer NOT NULL,
	`hash` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `audit_log` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`action` text NOT NULL,
	`caller` text NOT NULL,
	`via` text,
	`user_id` text,
	`user_email` text,
	`org_id` text,
	`outcome` text NOT NULL,
	`error_code` text,
	`request_id` text NOT NULL,
	`input` text,
	`subject_type` text,
	`subject_id` text,
	`subject_title` text,
	`times` integer DEFAULT 1 NOT NULL,
	`fold` text,
	`open_until` integer,
	`chain` text,
	`seq` integer,
	`hash` text
);
--> statement-breakpoint
CREATE INDEX `audit_log_org_at` ON `audit_log` (`org_id`,`at`,`id`);--> statement-breakpoint
CREATE INDEX `fw_audit_log_org_action` ON `audit_log` (`org_id`,`action`,`at`,`id`);--> statement-breakpoint
CREATE INDEX `fw_audit_log_org_person` ON `audit_log` (`org_id`,`user_email`,`at`,`id`);--> statement-breakpoint
CREATE INDEX `fw_audit_log_org_subject` ON `audit_log` (`org_id`,`subject_type`,`subject_id`,`at`,`id`);--> statement-breakpoint
CREATE INDEX `audit_log_user_at` ON `audit_log` (`user_id`,`at`);--> statement-breakpoint
CREATE UNIQUE INDEX `audit_log_chain` ON `audit_log` (`chain`,`seq`);--> statement-breakpoint
CREATE UNIQUE INDEX `audit_log_fold` ON `audit_log` (`fold`);--> statement-breakpoint
CREATE INDEX `audit_log_unsealed` ON `audit_log` (`seq`,`id`);--> statement-breakpoint
CREATE TABLE `fw_total_conflicts` (
	`total` text NOT NULL,
	`row` integer NOT NULL,
	`scope` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `fw_total_conflicts_total` ON `fw_total_conflicts` (`total`);--> statement-breakpoint
CREATE TABLE `fw_totals` (
	`total` text NOT NULL,
	`scope` text NOT NULL,
	`amount` integer NOT NULL,
	PRIMARY KEY(`total`, `scope`)
);
--> statement-breakpoint
CREATE TABLE `oauth_tokens` (
	`user_id` text NOT NULL,
	`provider` text NOT NULL,
	`row_id` text,
	`access_token` text NOT NULL,
	`refresh_token` text,
	`expires_at` integer,
	`token_type` text,
	`scope` text,
	`account_id` text,
	`account_label` text,
	`status` text DEFAULT 'active' NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`lease_owner` text,
	`lease_until` integer,
	`connected_at` integer,
	`refreshed_at` integer,
	PRIMARY KEY(`user_id`, `provider`)
);
--> statement-breakpoint
CREATE TABLE `feature_flags` (
	`name` text PRIMARY KEY NOT NULL,
	`is_on` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`updated_by` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `oauth_clients` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text,
	`redirect_uris` text NOT NULL,
	`client_uri` text,
	`application_type` text NOT NULL,
	`grant_types` text,
	`fingerprint` text,
	`created_at` integer NOT NULL,
	`last_used_at` integer
);
--> statement-breakpoint
CREATE INDEX `oauth_clients_used` ON `oauth_clients` (`last_used_at`,`created_at`);--> statement-breakpoint
CREATE INDEX `oauth_clients_fingerprint` ON `oauth_clients` (`fingerprint`,`created_at`);--> statement-breakpoint
CREATE TABLE `oauth_codes` (
	`hash` text PRIMARY KEY NOT NULL,
	`grant_id` text NOT NULL,
	`client_id` text NOT NULL,
	`redirect_uri` text NOT NULL,
	`code_challenge` text NOT NULL,
	`resource` text NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer
);
--> statement-breakpoint
CREATE INDEX `oauth_codes_grant` ON `oauth_codes` (`grant_id`);--> statement-breakpoint
CREATE INDEX `oauth_codes_expires` ON `oauth_codes` (`expires_at`);--> statement-breakpoint
CREATE TABLE `oauth_document_outages` (
	`id` text PRIMARY KEY NOT NULL,
	`cause` text NOT NULL,
	`failed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `oauth_grants` (
	`id` text PRIMARY KEY NOT NULL,
	`client_id` text NOT NULL,
	`client_name` text NOT NULL,
	`user_id` text NOT NULL,
	`email` text NOT NULL,
	`org_id` text NOT NULL,
	`provider` text DEFAULT '' NOT NULL,
	`provider_domain` text,
	`scope` text NOT NULL,
	`may_delete` integer DEFAULT true NOT NULL,
	`resource` text NOT NULL,
	`redirect_uri` text,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`called_at` integer,
	`expires_at` integer NOT NULL,
	`revoked_at` integer,
	`revoked_reason` text,
	`token_hash` text,
	`used_from` text
);
--> statement-breakpoint
CREATE INDEX `oauth_grants_user` ON `oauth_grants` (`user_id`,`revoked_at`);--> statement-breakpoint
CREATE INDEX `oauth_grants_org` ON `oauth_grants` (`org_id`,`revoked_at`);--> statement-breakpoint
CREATE INDEX `oauth_grants_client` ON `oauth_grants` (`client_id`);--> statement-breakpoint
CREATE INDEX `oauth_grants_expires` ON `oauth_grants` (`expires_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `fw_oauth_grants_token` ON `oauth_grants` (`token_hash`);--> statement-breakpoint
CREATE TABLE `oauth_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`public_jwk` text NOT NULL,
	`sealed_private_jwk` text NOT NULL,
	`signs_from` integer NOT NULL,
	`signs_until` integer NOT NULL,
	`created_at` integer NOT NULL,
	`generation` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `oauth_keys_generation_unique` ON `oauth_keys` (`generation`);--> statement-breakpoint
CREATE TABLE `oauth_refresh_tokens` (
	`hash` text PRIMARY KEY NOT NULL,
	`grant_id` text NOT NULL,
	`client_id` text NOT NULL,
	`issued_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`replaced_by` text,
	`replaced_at` integer
);
--> statement-breakpoint
CREATE INDEX `oauth_refresh_tokens_grant` ON `oauth_refresh_tokens` (`grant_id`);--> statement-breakpoint
CREATE INDEX `oauth_refresh_tokens_expires` ON `oauth_refresh_tokens` (`expires_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `oauth_refresh_tokens_successor` ON `oauth_refresh_tokens` (`replaced_by`);--> statement-breakpoint
CREATE TABLE `app_member_roles` (
	`org_id` text NOT NULL,
	`app_id` text NOT NULL,
	`user_id` text NOT NULL,
	`role` text NOT NULL,
	`assigned_by` text NOT NULL,
	`assigned_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `app_id`, `user_id`)
);
--> statement-breakpoint
CREATE INDEX `app_member_roles_user` ON `app_member_roles` (`user_id`);--> statement-breakpoint
CREATE TABLE `org_invitations` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`email` text NOT NULL,
	`role` text NOT NULL,
	`invited_by` text NOT NULL,
	`status` text NOT NULL,
	`token_hash` text NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `org_invitations_pending` ON `org_invitations` (`org_id`,`email`) WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX `org_invitations_email` ON `org_invitations` (`email`,`status`,`expires_at`);--> statement-breakpoint
CREATE TABLE `org_members` (
	`org_id` text NOT NULL,
	`user_id` text NOT NULL,
	`role` text NOT NULL,
	`joined_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `user_id`)
);
--> statement-breakpoint
CREATE INDEX `org_members_user` ON `org_members` (`user_id`,`joined_at`,`org_id`,`role`);--> statement-breakpoint
CREATE INDEX `org_members_joined` ON `org_members` (`org_id`,`joined_at`,`user_id`,`role`);--> statement-breakpoint
CREATE TABLE `organizations` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`allowed_domain` text,
	`required_auth_provider` text,
	`required_auth_domain` text,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `organizations_domain` ON `organizations` (`allowed_domain`) WHERE allowed_domain is not null;--> statement-breakpoint
CREATE TABLE `shares` (
	`resource` text NOT NULL,
	`resource_id` text NOT NULL,
	`user_id` text NOT NULL,
	`role` text NOT NULL,
	`org_id` text,
	`shared_by` text NOT NULL,
	`shared_at` integer NOT NULL,
	PRIMARY KEY(`resource`, `resource_id`, `user_id`)
);
--> statement-breakpoint
CREATE INDEX `shares_user` ON `shares` (`user_id`,`resource`,`resource_id`,`role`);--> statement-breakpoint
CREATE INDEX `shares_org` ON `shares` (`org_id`);--> statement-breakpoint
CREATE TABLE `vault_credentials` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text,
	`user_id` text,
	`key` text NOT NULL,
	`ciphertext` text NOT NULL,
	`key_id` text NOT NULL,
	`last_four` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `vault_org_key` ON `vault_credentials` (`org_id`,`key`) WHERE org_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `vault_user_key` ON `vault_credentials` (`user_id`,`key`) WHERE user_id is not null;--> statement-breakpoint
CREATE INDEX `vault_org` ON `vault_credentials` (`org_id`);--> statement-breakpoint
CREATE TABLE `embed_tokens` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`org_id` text,
	`session_id` text,
	`provider` text DEFAULT '' NOT NULL,
	`provider_domain` text,
	`page` text NOT NULL,
	`path` text NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `embed_tokens_expires` ON `embed_tokens` (`expires_at`);--> statement-breakpoint
CREATE TABLE `accounts` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`account_id` text NOT NULL,
	`provider_id` text NOT NULL,
	`access_token` text,
	`refresh_token` text,
	`id_token` text,
	`access_token_expires_at` integer,
	`refresh_token_expires_at` integer,
	`scope` text,
	`password` text,
	`provider_email` text,
	`provider_domain` text,
	`last_used_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_provider_account` ON `accounts` (`provider_id`,`account_id`);--> statement-breakpoint
CREATE INDEX `accounts_user` ON `accounts` (`user_id`);--> statement-breakpoint
CREATE TABLE `fw_address_changes` (
	`user_id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`session_id` text,
	`old_confirmed_at` integer,
	`new_confirmed_at` integer,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `application_state` (
	`user_id` text NOT NULL,
	`org_id` text DEFAULT '' NOT NULL,
	`key` text NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `org_id`, `key`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `application_state_org` ON `application_state` (`org_id`);--> statement-breakpoint
CREATE TABLE `known_devices` (
	`user_id` text NOT NULL,
	`device` text NOT NULL,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `device`)
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`token` text NOT NULL,
	`expires_at` integer NOT NULL,
	`ip_address` text,
	`user_agent` text,
	`provider` text DEFAULT 'password' NOT NULL,
	`proves_address` integer DEFAULT false NOT NULL,
	`provider_domain` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`last_used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_token` ON `sessions` (`token`);--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `fw_user_pictures` (
	`user_id` text PRIMARY KEY NOT NULL,
	`version` text NOT NULL,
	`type` text NOT NULL,
	`bytes` blob NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `user_settings` (
	`user_id` text NOT NULL,
	`key` text NOT NULL,
	`value` text NOT NULL,
	PRIMARY KEY(`user_id`, `key`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`email_verified` integer DEFAULT false NOT NULL,
	`image` text,
	`kind` text DEFAULT 'person' NOT NULL,
	`security_version` integer DEFAULT 0 NOT NULL,
	`claim_since` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email` ON `users` (`email`);--> statement-breakpoint
CREATE UNIQUE INDEX `users_one_dev` ON `users` (`kind`) WHERE kind = 'dev';--> statement-breakpoint
CREATE TABLE `verifications` (
	`id` text PRIMARY KEY NOT NULL,
	`identifier` text NOT NULL,
	`value` text NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `verifications_identifier` ON `verifications` (`identifier`);--> statement-breakpoint
CREATE TABLE `passkeys` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`credential_id` text NOT NULL,
	`public_key` text NOT NULL,
	`counter` integer NOT NULL,
	`transports` text NOT NULL,
	`backed_up` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `passkeys_credential` ON `passkeys` (`credential_id`);--> statement-breakpoint
CREATE INDEX `passkeys_user` ON `passkeys` (`user_id`);--> statement-breakpoint
CREATE TABLE `two_factor` (
	`user_id` text PRIMARY KEY NOT NULL,
	`secret` text NOT NULL,
	`active_at` integer,
	`last_step` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `two_factor_backup_codes` (
	`user_id` text NOT NULL,
	`code_hash` text NOT NULL,
	PRIMARY KEY(`user_id`, `code_hash`),
	FOREIGN KEY (`user_id`) REFERENCES `two_factor`(`user_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `fw_webhook_deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`webhook_id` text NOT NULL,
	`event_id` text NOT NULL,
	`source` text NOT NULL,
	`type` text NOT NULL,
	`event_at` integer NOT NULL,
	`state` text NOT NULL,
	`tries` integer NOT NULL,
	`next_try_at` integer,
	`queued_at` integer NOT NULL,
	`last_try_at` integer,
	`status` integer,
	`duration_ms` integer,
	`answer` text,
	`fault` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `fw_webhook_deliveries_event` ON `fw_webhook_deliveries` (`webhook_id`,`event_id`);--> statement-breakpoint
CREATE INDEX `fw_webhook_deliveries_due` ON `fw_webhook_deliveries` (`webhook_id`,`next_try_at`) WHERE next_try_at is not null;--> statement-breakpoint
CREATE INDEX `fw_webhook_deliveries_queued` ON `fw_webhook_deliveries` (`webhook_id`,`queued_at`,`id`);--> statement-breakpoint
CREATE INDEX `fw_webhook_deliveries_age` ON `fw_webhook_deliveries` (`queued_at`);--> statement-breakpoint
CREATE TABLE `fw_webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text,
	`url` text NOT NULL,
	`types` text NOT NULL,
	`state` text NOT NULL,
	`secret` text NOT NULL,
	`former_secret` text,
	`former_until` integer,
	`audit_seq` integer NOT NULL,
	`event_place` integer NOT NULL,
	`event_id` text,
	`failing_since` integer,
	`replay_until` integer,
	`created_by` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `fw_webhooks_org` ON `fw_webhooks` (`org_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `fw_webhooks_state` ON `fw_webhooks` (`state`);--> statement-breakpoint
CREATE TABLE `rate_limits` (
	`key` text PRIMARY KEY NOT NULL,
	`count` integer NOT NULL,
	`ends_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `mail_outbox` (
	`id` text PRIMARY KEY NOT NULL,
	`content` text NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`next_try_at` integer,
	`failed_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `mail_outbox_next_try` ON `mail_outbox` (`next_try_at`);--> statement-breakpoint
CREATE TABLE `fw_one_time` (
	`hash` text PRIMARY KEY NOT NULL,
	`purpose` text NOT NULL,
	`subject` text,
	`browser_hash` text,
	`payload` text,
	`tries` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer
);
--> statement-breakpoint
CREATE INDEX `fw_one_time_subject` ON `fw_one_time` (`subject`,`purpose`,`created_at`);--> statement-breakpoint
CREATE INDEX `fw_one_time_browser` ON `fw_one_time` (`browser_hash`);--> statement-breakpoint
CREATE INDEX `fw_one_time_expires` ON `fw_one_time` (`expires_at`);--> statement-breakpoint
CREATE TABLE `security_event_counts` (
	`kind` text NOT NULL,
	`hour` integer NOT NULL,
	`count` integer NOT NULL,
	`alerted_at` integer,
	PRIMARY KEY(`kind`, `hour`)
);
--> statement-breakpoint
CREATE INDEX `security_event_counts_hour` ON `security_event_counts` (`hour`);--> statement-breakpoint
CREATE TABLE `security_events` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`kind` text NOT NULL,
	`subject` text,
	`client_address` text,
	`user_id` text,
	`org_id` text,
	`reason` text NOT NULL,
	`request_id` text,
	`device` text
);
--> statement-breakpoint
CREATE INDEX `security_events_at` ON `security_events` (`at`);--> statement-breakpoint
CREATE INDEX `security_events_kind` ON `security_events` (`kind`,`at`);--> statement-breakpoint
CREATE INDEX `security_events_user` ON `security_events` (`user_id`,`at`);--> statement-breakpoint
CREATE INDEX `fw_security_events_org` ON `security_events` (`org_id`,`at`,`id`) WHERE org_id is not null;--> statement-breakpoint
-- Written by hand from here on. A row that is part of a chain stays as it is.
CREATE TRIGGER `audit_log_no_update` BEFORE UPDATE ON `audit_log` WHEN old.`seq` IS NOT NULL
BEGIN
  SELECT raise(abort, 'audit_log is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER `audit_log_no_delete` BEFORE DELETE ON `audit_log` WHEN old.`seq` IS NOT NULL
BEGIN
  SELECT raise(abort, 'audit_log is append-only');
END;
