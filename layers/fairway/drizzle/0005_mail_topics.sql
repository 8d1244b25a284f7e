CREATE TABLE `fw_mail_opt_outs` (
	`address` text NOT NULL,
	`topic` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`address`, `topic`)
);
