CREATE TABLE `fw_job_schedules` (
	`name` text PRIMARY KEY NOT NULL,
	`schedule` text NOT NULL,
	`next_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `fw_jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`input` text NOT NULL,
	`state` text NOT NULL,
	`priority` integer DEFAULT 0 NOT NULL,
	`run_at` integer NOT NULL,
	`key` text,
	`tick` integer,
	`limit_key` text,
	`limit_most` integer,
	`attempts` integer DEFAULT 0 NOT NULL,
	`most_attempts` integer NOT NULL,
	`lease_until` integer,
	`lease_token` text,
	`is_cancelling` integer DEFAULT false NOT NULL,
	`progress_done` integer,
	`progress_total` integer,
	`error` text,
	`org_id` text,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`finished_at` integer
);
--> statement-breakpoint
CREATE INDEX `fw_jobs_scheduled` ON `fw_jobs` (`run_at`) WHERE state = 'scheduled';--> statement-breakpoint
CREATE INDEX `fw_jobs_ready` ON `fw_jobs` (`priority`,`id`) WHERE state = 'ready';--> statement-breakpoint
CREATE INDEX `fw_jobs_blocked` ON `fw_jobs` (`limit_key`,`priority`,`id`) WHERE state = 'blocked';--> statement-breakpoint
CREATE INDEX `fw_jobs_running` ON `fw_jobs` (`limit_key`) WHERE state = 'running';--> statement-breakpoint
CREATE INDEX `fw_jobs_lease` ON `fw_jobs` (`lease_until`) WHERE state = 'running';--> statement-breakpoint
CREATE INDEX `fw_jobs_finished` ON `fw_jobs` (`state`,`finished_at`) WHERE finished_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `fw_jobs_key` ON `fw_jobs` (`name`,`key`) WHERE key is not null and state in ('scheduled', 'ready', 'blocked', 'running');--> statement-breakpoint
CREATE UNIQUE INDEX `fw_jobs_tick` ON `fw_jobs` (`name`,`tick`) WHERE tick is not null;