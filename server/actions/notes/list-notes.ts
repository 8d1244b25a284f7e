import { and, count, desc, eq, getTableColumns, inArray, sql } from 'drizzle-orm'
import { z } from 'zod'
import { accessibleTo, accessOf, callerOf, callerPlaceholders, defineAction, preparedQuery } from '#fw'
import { notes } from '../../database/notes'
import { noteSchema, withOwners } from './_my-note'

const { placeholder } = sql
const mine = and(accessibleTo(notes, callerPlaceholders), eq(notes.archived, placeholder('archived')))

const order = [desc(sql`${notes.pinned} and ${placeholder('pinnedFirst')}`), desc(notes.updatedAt), desc(notes.id)]

// SQLite sorts every note of the caller. The inner query sorts their ids, so that only the rows of the page are read.
const findPage = preparedQuery(db =>
  db
    .select({ ...getTableColumns(notes), access: accessOf(notes, callerPlaceholders) })
    .from(notes)
    .where(
      inArray(
        notes.id,
        db
          .select({ id: notes.id })
          .from(notes)
          .where(mine)
          .orderBy(...order)
          .limit(placeholder('limit'))
          .offset(placeholder('offset')),
      ),
    )
    .orderBy(...order)
    .prepare(),
)

const countMine = preparedQuery(db => db.select({ total: count() }).from(notes).where(mine).prepare())

export default defineAction({
  description:
    'Lists your notes and those shared with you in this organization, pinned ones first, then the latest changed.',
  readOnly: true,
  embed: '/embed/notes',
  input: z.object({
    archived: z.boolean().default(false).describe('true lists the archive instead.'),
    pinnedFirst: z.boolean().default(true).describe('false lists the latest changed first, pinned or not.'),
    page: z.int().min(1).max(1_000_000).default(1),
    itemsPerPage: z.int().min(1).max(100).default(30),
  }),
  output: z.object({ notes: z.array(noteSchema), totalItems: z.int() }),
  async run({ archived, pinnedFirst, page, itemsPerPage }, { db, session }) {
    const caller = callerOf(session)
    const part = { pinnedFirst: Number(pinnedFirst), limit: itemsPerPage, offset: (page - 1) * itemsPerPage }
    const [rows, [counted]] = await Promise.all([
      findPage(db).all({ ...caller, archived, ...part }),
      countMine(db).all({ ...caller, archived }),
    ])
    return { notes: await withOwners(rows), totalItems: counted?.total ?? 0 }
  },
})
