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
	`created_by` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `fw_webhooks_org` ON `fw_webhooks` (`org_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `fw_webhooks_state` ON `fw_webhooks` (`state`);