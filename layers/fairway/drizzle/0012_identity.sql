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
CREATE TABLE `desktop_ceremonies` (
	`id` text PRIMARY KEY NOT NULL,
	`binding_hash` text NOT NULL,
	`code_challenge` text NOT NULL,
	`nonce_hash` text NOT NULL,
	`user_id` text,
	`created_at` integer NOT NULL,
	`confirmed_at` integer,
	`exchanged_at` integer,
	`wrong_verifiers` integer DEFAULT 0 NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `desktop_ceremonies_expires` ON `desktop_ceremonies` (`expires_at`);--> statement-breakpoint
CREATE INDEX `desktop_ceremonies_binding` ON `desktop_ceremonies` (`binding_hash`);--> statement-breakpoint
CREATE INDEX `desktop_ceremonies_nonce` ON `desktop_ceremonies` (`nonce_hash`);--> statement-breakpoint
CREATE TABLE `feature_flags` (
	`name` text PRIMARY KEY NOT NULL,
	`is_on` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`updated_by` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `identity_codes` (
	`code_hash` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`provider` text NOT NULL,
	`app_id` text NOT NULL,
	`client_id` text NOT NULL,
	`redirect_uri` text NOT NULL,
	`code_challenge` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`redeemed_at` integer
);
--> statement-breakpoint
CREATE INDEX `identity_codes_expires` ON `identity_codes` (`expires_at`);--> statement-breakpoint
CREATE TABLE `identity_states` (
	`state_hash` text PRIMARY KEY NOT NULL,
	`code_challenge` text NOT NULL,
	`hub_url` text NOT NULL,
	`app_id` text NOT NULL,
	`client_id` text NOT NULL,
	`redirect_uri` text NOT NULL,
	`return_path` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `identity_states_expires` ON `identity_states` (`expires_at`);--> statement-breakpoint
CREATE TABLE `used_token_ids` (
	`id_hash` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `used_token_ids_expires` ON `used_token_ids` (`expires_at`);