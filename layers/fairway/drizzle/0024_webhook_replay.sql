ALTER TABLE `fw_webhooks` ADD `replay_until` integer;--> statement-breakpoint
CREATE INDEX `fw_security_events_org` ON `security_events` (`org_id`,`at`,`id`) WHERE org_id is not null;