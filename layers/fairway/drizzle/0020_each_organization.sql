CREATE TABLE `fw_job_zones` (
	`name` text NOT NULL,
	`org_id` text NOT NULL,
	`time_zone` text NOT NULL,
	PRIMARY KEY(`name`, `org_id`)
);
--> statement-breakpoint
CREATE INDEX `fw_job_zones_zone` ON `fw_job_zones` (`name`,`time_zone`,`org_id`);--> statement-breakpoint
DROP INDEX `fw_jobs_tick`;--> statement-breakpoint
ALTER TABLE `fw_jobs` ADD `tick_of` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `fw_jobs_tick` ON `fw_jobs` (`name`,`tick`,`tick_of`) WHERE tick is not null;