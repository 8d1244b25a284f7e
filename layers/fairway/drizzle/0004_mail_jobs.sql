DROP INDEX `mail_outbox_next_try`;--> statement-breakpoint
ALTER TABLE `mail_outbox` ADD `name` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `mail_outbox` ADD `error` text;--> statement-breakpoint
ALTER TABLE `mail_outbox` DROP COLUMN `tries`;--> statement-breakpoint
ALTER TABLE `mail_outbox` DROP COLUMN `next_try_at`;--> statement-breakpoint
ALTER TABLE `fw_jobs` ADD `user_id` text;--> statement-breakpoint
-- Mails that waited for the former outbox get the job that sends them.
INSERT INTO `fw_jobs` (`id`, `name`, `input`, `state`, `priority`, `run_at`, `limit_key`, `limit_most`, `attempts`, `most_attempts`, `is_cancelling`, `created_at`)
  SELECT `id`, 'fw-send-mail', json_object('mailId', `id`), 'ready', 0, `created_at`, 'fw-send-mail', 8, 0, 9, 0, `created_at`
  FROM `mail_outbox` WHERE `failed_at` IS NULL;
