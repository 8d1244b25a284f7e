CREATE TABLE `__new_application_state` (
	`user_id` text NOT NULL,
	`org_id` text DEFAULT '' NOT NULL,
	`key` text NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `org_id`, `key`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `__new_application_state`("user_id", "org_id", "key", "value", "updated_at") SELECT "user_id", '', "key", "value", "updated_at" FROM `application_state`;--> statement-breakpoint
DROP TABLE `application_state`;--> statement-breakpoint
ALTER TABLE `__new_application_state` RENAME TO `application_state`;--> statement-breakpoint
CREATE INDEX `application_state_org` ON `application_state` (`org_id`);