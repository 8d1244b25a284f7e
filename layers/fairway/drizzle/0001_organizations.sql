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
CREATE INDEX `vault_org` ON `vault_credentials` (`org_id`);