CREATE TABLE `fw_policies` (
	`name` text PRIMARY KEY NOT NULL,
	`since` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `fw_terms_acceptances` (
	`user_id` text NOT NULL,
	`version` text NOT NULL,
	`accepted_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `version`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `organizations` ADD `second_factor_since` integer;--> statement-breakpoint
ALTER TABLE `organizations` ADD `second_factor_grace_days` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `second_factor_since` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `passkey_since` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `terms_version` text;--> statement-breakpoint
ALTER TABLE `users` ADD `suspended_at` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `suspended_until` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `suspended_reason` text;--> statement-breakpoint
CREATE INDEX `fw_users_created` ON `users` (`created_at`,`id`);
--> statement-breakpoint
CREATE TRIGGER `fw_two_factor_added` AFTER INSERT ON `two_factor` BEGIN
  UPDATE `users` SET `second_factor_since` = new.`active_at` WHERE `id` = new.`user_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `fw_two_factor_changed` AFTER UPDATE OF `active_at`, `user_id` ON `two_factor` BEGIN
  UPDATE `users` SET `second_factor_since` = new.`active_at` WHERE `id` = new.`user_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `fw_two_factor_removed` AFTER DELETE ON `two_factor` BEGIN
  UPDATE `users` SET `second_factor_since` = NULL WHERE `id` = old.`user_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `fw_passkey_added` AFTER INSERT ON `passkeys` BEGIN
  UPDATE `users` SET `passkey_since` = coalesce(`passkey_since`, new.`created_at`) WHERE `id` = new.`user_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `fw_passkey_removed` AFTER DELETE ON `passkeys` BEGIN
  UPDATE `users` SET `passkey_since` = (SELECT min(`created_at`) FROM `passkeys` WHERE `user_id` = old.`user_id`) WHERE `id` = old.`user_id`;
END;
--> statement-breakpoint
UPDATE `users` SET `second_factor_since` = (SELECT `active_at` FROM `two_factor` t WHERE t.`user_id` = `users`.`id`),
  `passkey_since` = (SELECT min(p.`created_at`) FROM `passkeys` p WHERE p.`user_id` = `users`.`id`);
