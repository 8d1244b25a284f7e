CREATE TABLE `fw_total_conflicts` (
	`total` text NOT NULL,
	`row` integer NOT NULL,
	`scope` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `fw_total_conflicts_total` ON `fw_total_conflicts` (`total`);--> statement-breakpoint
CREATE TABLE `fw_totals` (
	`total` text NOT NULL,
	`scope` text NOT NULL,
	`amount` integer NOT NULL,
	PRIMARY KEY(`total`, `scope`)
);
