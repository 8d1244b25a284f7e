ALTER TABLE `audit_log` ADD `times` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `audit_log` ADD `fold` text;--> statement-breakpoint
ALTER TABLE `audit_log` ADD `open_until` integer;--> statement-breakpoint
CREATE UNIQUE INDEX `audit_log_fold` ON `audit_log` (`fold`);--> statement-breakpoint
-- Written by hand from here on. Rows keep no texts any more: those of before lose theirs, and are chained anew, because their
-- hashes cover the texts. A note at the end of each chain names its old head.
DROP TRIGGER `audit_log_no_update`;--> statement-breakpoint
DROP TRIGGER `audit_log_no_delete`;--> statement-breakpoint
-- What organizations do with their members is theirs to see. Of everything else the first level stays: numbers, booleans, ids, dates.
UPDATE `audit_log` SET `input` = CASE WHEN json_valid(`input`) AND json_type(`input`) = 'object' THEN (
    SELECT json_group_object(`key`, json(CASE
      WHEN `type` IN ('true', 'false', 'null') THEN `type`
      WHEN `type` IN ('integer', 'real') THEN json_quote(`value`)
      WHEN `type` = 'text' AND (
        `value` = '[redacted]'
        OR (length(`value`) = 36 AND `value` NOT GLOB '*[^0-9a-fA-F-]*')
        OR (length(`value`) < 36 AND `value` GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*' AND `value` NOT GLOB '*[^0-9TZ:.+-]*')
      ) THEN json_quote(`value`)
      ELSE '"[text]"' END)) FROM json_each(`audit_log`.`input`)
  ) END
WHERE `input` IS NOT NULL AND `action` NOT IN ('create-organization', 'update-organization', 'delete-organization', 'switch-organization',
  'join-organization', 'leave-organization', 'transfer-ownership', 'assign-app-role', 'set-auth-provider', 'invite-members', 'invite-member',
  'revoke-invitation', 'resend-invitation', 'accept-invitation', 'decline-invitation', 'change-member-role', 'remove-member');--> statement-breakpoint
UPDATE `audit_log` SET `chain` = NULL, `seq` = NULL, `hash` = NULL;--> statement-breakpoint
-- The id is a UUIDv7 of now, so the note stands behind all rows of before.
INSERT INTO `audit_log` (`id`, `at`, `action`, `caller`, `org_id`, `outcome`, `request_id`, `input`)
SELECT lower(printf('%08x-%04x-7%03x-8%03x-', `now` >> 16, `now` & 65535, random() & 4095, random() & 4095) || hex(randomblob(6))),
  `now`, 'chain-audit-log-anew', 'system', nullif(`chain`, 'none'), 'ok', 'update', json_object('rows', `seq`, 'head', `hash`)
FROM `audit_heads`, (SELECT cast((julianday('now') - 2440587.5) * 86400000 AS integer) AS `now`);--> statement-breakpoint
DELETE FROM `audit_heads`;--> statement-breakpoint
CREATE TRIGGER `audit_log_no_update` BEFORE UPDATE ON `audit_log` WHEN old.`seq` IS NOT NULL
BEGIN
  SELECT raise(abort, 'audit_log is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER `audit_log_no_delete` BEFORE DELETE ON `audit_log` WHEN old.`seq` IS NOT NULL
BEGIN
  SELECT raise(abort, 'audit_log is append-only');
END;
