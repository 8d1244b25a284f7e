import { type Migration, toMigration } from './migration'

const NEXT = '--> statement-breakpoint\n'

const NOTES_TABLE = `CREATE TABLE \`notes\` (
	\`id\` text PRIMARY KEY NOT NULL,
	\`owner_email\` text NOT NULL,
	\`org_id\` text,
	\`title\` text NOT NULL,
	\`text\` text DEFAULT '' NOT NULL,
	\`pinned\` integer DEFAULT false NOT NULL,
	\`archived\` integer DEFAULT false NOT NULL,
	\`created_at\` integer NOT NULL,
	\`updated_at\` integer NOT NULL
);
${NEXT}CREATE INDEX \`notes_owner\` ON \`notes\` (\`owner_email\`,\`archived\`,\`pinned\`,\`updated_at\`);`

const NOTES_VISIBILITY = `ALTER TABLE \`notes\` ADD \`visibility\` text DEFAULT 'private' NOT NULL;${NEXT}CREATE INDEX \`notes_org\` ON \`notes\` (\`org_id\`,\`visibility\`,\`archived\`);`

/** The first migration of the platform: it tells which of the two texts a database began with. */
export const FIRST_MIGRATION = '0000_foundation'

/**
 * What three migrations of the platform were while the sample's table stood in them, made of what they are now. Databases
 * of that time note their hashes; what they did to the platform's tables is the same.
 */
const FORMER: Readonly<Record<string, (sql: string) => string>> = {
  [FIRST_MIGRATION]: sql => `${sql}\n${NEXT}${NOTES_TABLE}`,
  '0001_organizations': sql => `${sql}${NEXT}${NOTES_VISIBILITY}`,
  '0008_collections': () => 'CREATE INDEX `notes_org_id` ON `notes` (`org_id`,`id`);',
}

/** What a migration of the platform was before its text was changed, or undefined where it always was what it is. */
export function formerly({ name, sql }: Migration): Migration | undefined {
  const former = FORMER[name]
  return former && toMigration(`${name}.sql`, former(sql))
}
