ALTER TABLE `a2a_approvals` ADD `grant_id` text;--> statement-breakpoint
ALTER TABLE `a2a_approvals` ADD `call_hash` text;--> statement-breakpoint
ALTER TABLE `a2a_approvals` ADD `approver` text DEFAULT 'person' NOT NULL;--> statement-breakpoint
ALTER TABLE `a2a_approvals` ADD `ran_at` integer;--> statement-breakpoint
CREATE INDEX `fw_approvals_grant` ON `a2a_approvals` (`grant_id`,`status`);--> statement-breakpoint
CREATE INDEX `fw_approvals_org` ON `a2a_approvals` (`org_id`,`approver`,`status`);--> statement-breakpoint
CREATE UNIQUE INDEX `fw_approvals_call` ON `a2a_approvals` (`call_hash`);--> statement-breakpoint
ALTER TABLE `oauth_grants` ADD `asks_first` integer DEFAULT true NOT NULL;