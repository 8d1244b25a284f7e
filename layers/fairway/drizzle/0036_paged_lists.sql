CREATE TABLE `fw_person_text_rows` (
	`n` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `fw_person_text_rows_id_unique` ON `fw_person_text_rows` (`id`);--> statement-breakpoint
CREATE TABLE `fw_person_text_trigrams` (
	`trigram` text NOT NULL,
	`n` integer NOT NULL,
	PRIMARY KEY(`trigram`, `n`)
) WITHOUT ROWID;
--> statement-breakpoint
DROP INDEX `fw_org_members_owners`;--> statement-breakpoint
CREATE INDEX `fw_org_members_role` ON `org_members` (`org_id`,`role`,`joined_at`,`user_id`);--> statement-breakpoint
DROP INDEX `fw_oauth_grants_used`;--> statement-breakpoint
CREATE INDEX `fw_oauth_grants_used` ON `oauth_grants` (`org_id`,case when last_used_at is null then 0 else last_used_at end,`id`) WHERE revoked_at is null;