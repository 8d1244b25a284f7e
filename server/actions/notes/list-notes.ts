import { and, count, desc, eq, getTableColumns, inArray, sql } from 'drizzle-orm'
import { z } from 'zod'
import { accessibleTo, accessOf, callerOf, callerPlaceholders, defineAction, preparedQuery } from '#fw'
import { notes } from '../../database/notes'
import { noteSchema, withOwners } from './_my-note'

const { placeholder } = sql
const mine = and(accessibleTo(notes, callerPlaceholders), eq(notes.archived, placeholder('archived')))

const order = [desc(sql`${notes.pinned} and ${placeholder('pinnedFirst')}`), desc(notes.updatedAt), desc(notes.id)]

// SQLite sorts every note of the caller. The inner query sorts their ids, so that only the rows of the page are read. One
// statement returns the total too: on a libSQL server, each is a round trip.
const findPage = preparedQuery(db =>
  db
    .select({
      ...getTableColumns(notes),
      access: accessOf(notes, callerPlaceholders),
      total: sql<number>`(select count(*) from ${notes} where ${mine})`,
    })
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
    const rows = await findPage(db).all({ ...caller, archived, ...part })
    // A page after the end has no row that could carry the total.
    const [counted] = rows.length === 0 && page > 1 ? await countMine(db).all({ ...caller, archived }) : rows
    return { notes: await withOwners(rows), totalItems: counted?.total ?? 0 }
  },
})
