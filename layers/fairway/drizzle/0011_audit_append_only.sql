-- A row that is part of a chain stays as it is.
CREATE TRIGGER `audit_log_no_update` BEFORE UPDATE ON `audit_log` WHEN old.`seq` IS NOT NULL
BEGIN
  SELECT raise(abort, 'audit_log is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER `audit_log_no_delete` BEFORE DELETE ON `audit_log` WHEN old.`seq` IS NOT NULL
BEGIN
  SELECT raise(abort, 'audit_log is append-only');
END;
