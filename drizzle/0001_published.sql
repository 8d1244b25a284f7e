CREATE TABLE `published_notes` (
	`note_id` text PRIMARY KEY NOT NULL,
	`published_at` integer NOT NULL,
	FOREIGN KEY (`note_id`) REFERENCES `notes`(`id`) ON UPDATE no action ON DELETE cascade
);
