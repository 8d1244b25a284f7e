DROP INDEX `oauth_grants_client`;--> statement-breakpoint
CREATE INDEX `fw_oauth_grants_used` ON `oauth_grants` (`org_id`,`last_used_at`,`id`) WHERE revoked_at is null;--> statement-breakpoint
CREATE INDEX `oauth_grants_client` ON `oauth_grants` (`client_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `fw_org_invitations_org` ON `org_invitations` (`org_id`,`status`);--> statement-breakpoint
CREATE INDEX `fw_org_invitations_inviter` ON `org_invitations` (`invited_by`);--> statement-breakpoint
CREATE INDEX `fw_org_members_owners` ON `org_members` (`org_id`,`joined_at`,`user_id`) WHERE role = 'owner';--> statement-breakpoint
CREATE INDEX `fw_organizations_created` ON `organizations` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `fw_organizations_creator` ON `organizations` (`created_by`);--> statement-breakpoint
CREATE INDEX `fw_shares_sharer` ON `shares` (`shared_by`);--> statement-breakpoint
CREATE INDEX `fw_embed_tokens_user` ON `embed_tokens` (`user_id`);--> statement-breakpoint
CREATE INDEX `fw_users_suspended` ON `users` (`created_at`,`id`) WHERE suspended_at is not null;--> statement-breakpoint
CREATE INDEX `fw_webhook_deliveries_unsent` ON `fw_webhook_deliveries` (`state`,`id`) WHERE state <> 'sent';--> statement-breakpoint
CREATE INDEX `fw_webhooks_creator` ON `fw_webhooks` (`created_by`);--> statement-breakpoint
CREATE INDEX `fw_mail_outbox_failed` ON `mail_outbox` (`failed_at`);--> statement-breakpoint
CREATE INDEX `fw_security_events_subject` ON `security_events` (`subject`,`at`,`id`) WHERE subject is not null;--> statement-breakpoint
CREATE INDEX `fw_security_events_address` ON `security_events` (`client_address`,`at`,`id`) WHERE client_address is not null;