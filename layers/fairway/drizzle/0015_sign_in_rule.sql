ALTER TABLE `oauth_grants` ADD `provider` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `embed_tickets` ADD `provider` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `embed_tokens` ADD `provider` text DEFAULT '' NOT NULL;--> statement-breakpoint
-- A rule has always ended what was approved before it, and let only sessions of its provider approve anything after.
UPDATE `oauth_grants` SET `provider` = (SELECT `required_auth_provider` FROM `organizations` WHERE `id` = `oauth_grants`.`org_id`)
  WHERE EXISTS (SELECT 1 FROM `organizations` WHERE `id` = `oauth_grants`.`org_id` AND `required_auth_provider` IS NOT NULL);
