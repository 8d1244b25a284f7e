ALTER TABLE `oauth_grants` ADD `token_end` text;--> statement-breakpoint
ALTER TABLE `org_invitations` ADD `mail_id` text;