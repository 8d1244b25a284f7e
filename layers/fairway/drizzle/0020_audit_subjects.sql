DROP INDEX `audit_log_org_at`;--> statement-breakpoint
ALTER TABLE `audit_log` ADD `subject_type` text;--> statement-breakpoint
ALTER TABLE `audit_log` ADD `subject_id` text;--> statement-breakpoint
ALTER TABLE `audit_log` ADD `subject_title` text;--> statement-breakpoint
CREATE INDEX `fw_audit_log_org_action` ON `audit_log` (`org_id`,`action`,`at`,`id`);--> statement-breakpoint
CREATE INDEX `fw_audit_log_org_person` ON `audit_log` (`org_id`,`user_email`,`at`,`id`);--> statement-breakpoint
CREATE INDEX `fw_audit_log_org_subject` ON `audit_log` (`org_id`,`subject_type`,`subject_id`,`at`,`id`);--> statement-breakpoint
CREATE INDEX `audit_log_org_at` ON `audit_log` (`org_id`,`at`,`id`);