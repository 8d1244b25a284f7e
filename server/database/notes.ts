import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { z } from 'zod'

export const notes = sqliteTable(
  'notes',
  {
    id: text('id').primaryKey(),
    ownerEmail: text('owner_email').notNull(),
    orgId: text('org_id'),
    title: text('title').notNull(),
    text: text('text').notNull().default(''),
    pinned: integer('pinned', { mode: 'boolean' }).notNull().default(false),
    archived: integer('archived', { mode: 'boolean' }).notNull().default(false),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    updatedAt: integer('updated_at', { mode: 'timestamp_ms' }).notNull(),
  },
  table => [index('notes_owner').on(table.ownerEmail, table.archived, table.pinned, table.updatedAt)],
)

/** A note as every surface sees it; times are ISO 8601. */
export const noteSchema = z.object({
  id: z.string(),
  title: z.string(),
  text: z.string(),
  pinned: z.boolean(),
  archived: z.boolean(),
  createdAt: z.string(),
  updatedAt: z.string(),
})

export const noteIdSchema = z.string().min(1).max(64).describe('The id of the note.')
export const noteTitleSchema = z
  .string()
  .trim()
  .min(1, 'Enter a title.')
  .max(200)
  .describe('One line that names the note.')
export const noteTextSchema = z.string().max(20_000).describe('The note itself.')

/** A row as its JSON form. */
export function toNote({ id, title, text: body, pinned, archived, createdAt, updatedAt }: typeof notes.$inferSelect) {
  return {
    id,
    title,
    text: body,
    pinned,
    archived,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
