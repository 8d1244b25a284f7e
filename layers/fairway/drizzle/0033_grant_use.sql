CREATE TABLE `fw_access_reviews` (
	`org_id` text PRIMARY KEY NOT NULL,
	`month` text NOT NULL
);
--> statement-breakpoint
ALTER TABLE `oauth_grants` ADD `consented_scope` text;--> statement-breakpoint
ALTER TABLE `oauth_grants` ADD `read_at` integer;--> statement-breakpoint
ALTER TABLE `oauth_grants` ADD `written_at` integer;--> statement-breakpoint
ALTER TABLE `oauth_grants` ADD `deleted_at` integer;--> statement-breakpoint
ALTER TABLE `oauth_grants` ADD `operated_at` integer;--> statement-breakpoint
UPDATE oauth_grants SET read_at = last_used_at,
	written_at = CASE WHEN instr(scope, 'mcp:write') > 0 THEN (SELECT max(a.at) FROM audit_log a
		WHERE a.user_id = oauth_grants.user_id AND a.org_id = oauth_grants.org_id AND a.via = oauth_grants.client_id) END,
	operated_at = CASE WHEN instr(scope, 'operator') > 0 THEN last_used_at END;
--> statement-breakpoint
UPDATE oauth_grants SET deleted_at = CASE WHEN may_delete = 1 THEN written_at END;
