CREATE TABLE `fw_organization_plans` (
	`org_id` text PRIMARY KEY NOT NULL,
	`plan` text NOT NULL,
	`until` integer,
	`is_trial` integer DEFAULT false NOT NULL,
	`changed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `fw_organization_plans_until` ON `fw_organization_plans` (`until`);