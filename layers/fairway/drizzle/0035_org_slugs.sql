CREATE TABLE `fw_former_slugs` (
	`slug` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`purge_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `fw_former_slugs_org` ON `fw_former_slugs` (`org_id`);--> statement-breakpoint
CREATE INDEX `fw_former_slugs_purge` ON `fw_former_slugs` (`purge_at`);--> statement-breakpoint
ALTER TABLE `organizations` ADD `slug` text;--> statement-breakpoint
-- Existing organizations get the slug of their name, as `toSlug` makes it.
UPDATE `organizations` SET `slug` = (
	WITH RECURSIVE letters(rest, done) AS (
		SELECT replace(replace(substr(organizations.name, 1, 200), '''', ''), '’', ''), ''
		UNION ALL
		SELECT substr(rest, 2), done || CASE
			WHEN f.folded = '' THEN ''
			WHEN coalesce(f.folded, lower(substr(rest, 1, 1))) NOT GLOB '*[^a-z0-9]*' THEN coalesce(f.folded, lower(substr(rest, 1, 1)))
			WHEN done = '' OR done LIKE '%-' THEN ''
			ELSE '-' END
		FROM letters LEFT JOIN fw_folds f ON f.character = substr(rest, 1, 1) WHERE rest <> ''
	)
	SELECT rtrim(substr(done, 1, 40), '-') FROM letters WHERE rest = ''
);--> statement-breakpoint
UPDATE `organizations` SET `slug` = 'org-' || lower(hex(randomblob(4))) WHERE coalesce(length(`slug`), 0) < 2 OR `slug` IN (
	'account', 'admin', 'api', 'app', 'auth', 'fw', 'help', 'home', 'login', 'logout', 'me', 'mcp', 'my', 'new', 'none', 'null', 'o', 'operator',
	'organizations', 'public', 'settings', 'sign-in', 'sign-out', 'sign-up', 'static', 'support', 'team', 'undefined', 'www'
);--> statement-breakpoint
-- The oldest organization keeps the slug that several would have.
UPDATE `organizations` SET `slug` = rtrim(substr(`slug`, 1, 31), '-') || '-' || lower(hex(randomblob(4)))
WHERE `id` IN (
	SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY slug ORDER BY created_at, id) AS n FROM organizations) WHERE n > 1
);--> statement-breakpoint
UPDATE `organizations` SET `slug` = NULL WHERE `id` NOT IN (SELECT min(id) FROM organizations GROUP BY slug);--> statement-breakpoint
CREATE UNIQUE INDEX `fw_organizations_slug` ON `organizations` (`slug`);
