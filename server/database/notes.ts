import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { z } from 'zod'
import { ownableColumns } from 'nuxt-fairway/tables'

export const notes = sqliteTable(
  'notes',
  {
    id: text('id').primaryKey(),
    ...ownableColumns(),
    title: text('title').notNull(),
    text: text('text').notNull().default(''),
    pinned: integer('pinned', { mode: 'boolean' }).notNull().default(false),
    archived: integer('archived', { mode: 'boolean' }).notNull().default(false),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    updatedAt: integer('updated_at', { mode: 'timestamp_ms' }).notNull(),
  },
  table => [
    index('notes_owner').on(table.ownerEmail, table.archived, table.pinned, table.updatedAt),
    index('notes_org').on(table.orgId, table.visibility, table.archived),
    // Finds notes that are shared with a person. Sorting has no index on purpose: the rows that a user sees come from three
    // indexes, and an index in sort order would be walked over everyone's notes.
    index('notes_org_id').on(table.orgId, table.id),
  ],
)

/** The notes that have a public page, at /p/<id>. */
export const publishedNotes = sqliteTable('published_notes', {
  noteId: text('note_id')
    .primaryKey()
    .references(() => notes.id, { onDelete: 'cascade' }),
  publishedAt: integer('published_at', { mode: 'timestamp_ms' }).notNull(),
})

export const noteIdSchema = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'The id of the note.', collection: 'note-list' })
