CREATE TABLE `audit_heads` (
	`chain` text PRIMARY KEY NOT NULL,
	`seq` integer NOT NULL,
	`hash` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `connection_states` (
	`state_hash` text PRIMARY KEY NOT NULL,
	`provider` text NOT NULL,
	`user_id` text NOT NULL,
	`secrets` text NOT NULL,
	`return_path` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `connection_states_expires` ON `connection_states` (`expires_at`);--> statement-breakpoint
CREATE INDEX `connection_states_user` ON `connection_states` (`user_id`);--> statement-breakpoint
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
	`request_id` text
);
--> statement-breakpoint
CREATE INDEX `security_events_at` ON `security_events` (`at`);--> statement-breakpoint
CREATE INDEX `security_events_kind` ON `security_events` (`kind`,`at`);--> statement-breakpoint
CREATE INDEX `security_events_user` ON `security_events` (`user_id`);--> statement-breakpoint
ALTER TABLE `audit_log` ADD `via` text;--> statement-breakpoint
ALTER TABLE `audit_log` ADD `chain` text;--> statement-breakpoint
ALTER TABLE `audit_log` ADD `seq` integer;--> statement-breakpoint
ALTER TABLE `audit_log` ADD `hash` text;--> statement-breakpoint
CREATE UNIQUE INDEX `audit_log_chain` ON `audit_log` (`chain`,`seq`);--> statement-breakpoint
CREATE INDEX `audit_log_unsealed` ON `audit_log` (`seq`,`id`);--> statement-breakpoint
ALTER TABLE `oauth_tokens` ADD `row_id` text;--> statement-breakpoint
ALTER TABLE `oauth_tokens` ADD `token_type` text;--> statement-breakpoint
ALTER TABLE `oauth_tokens` ADD `scope` text;--> statement-breakpoint
ALTER TABLE `oauth_tokens` ADD `account_id` text;--> statement-breakpoint
ALTER TABLE `oauth_tokens` ADD `account_label` text;--> statement-breakpoint
ALTER TABLE `oauth_tokens` ADD `status` text DEFAULT 'active' NOT NULL;--> statement-breakpoint
ALTER TABLE `oauth_tokens` ADD `version` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `oauth_tokens` ADD `lease_owner` text;--> statement-breakpoint
ALTER TABLE `oauth_tokens` ADD `lease_until` integer;--> statement-breakpoint
ALTER TABLE `oauth_tokens` ADD `connected_at` integer;--> statement-breakpoint
ALTER TABLE `oauth_tokens` ADD `refreshed_at` integer;