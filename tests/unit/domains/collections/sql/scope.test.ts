import { eq, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { CollectionScope } from '#fairway/server/domains/collections/collection'
import { shareRow } from '#fairway/server/domains/organizations'
import { notes } from '~~/server/database/notes'
import type { Session } from '#fairway/shared/schemas/session'
import { shareTestApp } from '../../../../support/use-app'
import { addTo, aMember, sessionNow } from '../../../../support/members'
import { query } from '../../../../support/query'
import { aContext, aQuery, aReader, full, idsOf, partial, walk } from './reading'

const item = z.object({ id: z.string(), title: z.string() })

const test = shareTestApp()
let owner: Session
let colleague: Session
let outsider: Session

beforeAll(async () => {
  owner = await aMember(test.app)
  outsider = await aMember(test.app)
  const joined = await aMember(test.app)
  await addTo(test.app, owner, joined, 'member')
  await query(test.app, `insert into user_settings values (?, 'active-org-id', ?)`, [joined.userId, owner.orgId])
  colleague = await sessionNow(test.app, joined)
  const at = test.app.now()
  const note = (id: string, { email, orgId }: Session, visibility: 'private' | 'org') => ({
    id,
    title: id,
    ownerEmail: email,
    orgId,
    visibility,
    createdAt: at,
    updatedAt: at,
  })
  await test.app.db.orm
    .insert(notes)
    .values([
      note('a-private', owner, 'private'),
      note('b-published', owner, 'org'),
      note('c-shared', owner, 'private'),
      note('d-elsewhere', outsider, 'org'),
    ])
  await shareRow(test.app.db.orm, notes, owner, {
    id: 'c-shared',
    email: colleague.email,
    role: 'viewer',
    now: test.app.now(),
  })
})

const readerOf = (scope?: CollectionScope) => aReader(item, notes, { scope, filters: { title: 'exact' } })

// Everyone reads through one reader, which keeps its statements.
const readers = new Map<CollectionScope, ReturnType<typeof readerOf>>()

function sharedReader(scope: CollectionScope): ReturnType<typeof readerOf> {
  const reader = readers.get(scope) ?? readerOf(scope)
  readers.set(scope, reader)
  return reader
}

async function seen(scope: CollectionScope, session: Session): Promise<unknown[]> {
  const reader = sharedReader(scope)
  const context = aContext(test.app, session)
  const listed = await reader.readPage(context, aQuery(full(1, 30)))
  const ids = idsOf(listed)
  expect(listed).toMatchObject({ totalItems: ids.length })
  // Every way of reading returns the same rows.
  expect(idsOf(await reader.readPage(context, aQuery(partial(1, 30))))).toEqual(ids)
  expect(idsOf(await reader.readPage(context, aQuery({ mode: 'whole', most: 30 })))).toEqual(ids)
  expect(idsOf(...(await walk(reader, context, { via: [{ field: 'title', direction: 'ASC' }], limit: 1 })))).toEqual(
    ids,
  )
  expect(await reader.countItems(context, [])).toBe(ids.length)
  for (const id of ['a-private', 'b-published', 'c-shared', 'd-elsewhere']) {
    expect((await reader.readItem(context, id)) !== null).toBe(ids.includes(id))
    expect(await reader.countItems(context, [{ kind: 'exact', field: 'title', values: [id] }])).toBe(
      Number(ids.includes(id)),
    )
  }
  return ids
}

describe('collection scope', () => {
  it('shared returns own rows, rows shared with the account, and rows published to its organization', async () => {
    expect(await seen('shared', owner)).toEqual(['a-private', 'b-published', 'c-shared'])
    expect(await seen('shared', colleague)).toEqual(['b-published', 'c-shared'])
    expect(await seen('shared', outsider)).toEqual(['d-elsewhere'])
    expect(await seen('shared', { ...colleague, orgId: null })).toEqual([])
  })

  it('organization returns the rows of the active organization', async () => {
    expect(await seen('organization', colleague)).toEqual(['a-private', 'b-published', 'c-shared'])
    expect(await seen('organization', outsider)).toEqual(['d-elsewhere'])
    expect(await seen('organization', { ...owner, orgId: null })).toEqual([])
  })

  it('function selects the rows for each account separately', async () => {
    const scope = (session: Session) =>
      session.email === owner.email ? eq(notes.ownerEmail, session.email) : sql`${notes.title} = 'd-elsewhere' or 1 = 0`
    expect(await seen(scope, owner)).toEqual(['a-private', 'b-published', 'c-shared'])
    expect(await seen(scope, colleague)).toEqual(['d-elsewhere'])
    expect(await seen(scope, outsider)).toEqual(['d-elsewhere'])
  })

  it('function with another text for each account selects their rows', async () => {
    const scope = ({ email }: Session) => sql`owner_email = ${sql.raw(`'${email}'`)}`
    for (let turn = 0; turn < 2; turn++) {
      expect(await seen(scope, owner)).toEqual(['a-private', 'b-published', 'c-shared'])
      expect(await seen(scope, outsider)).toEqual(['d-elsewhere'])
    }
  })

  it('everybody returns all rows', async () => {
    expect(await seen('everybody', outsider)).toHaveLength(4)
  })

  it('returns unauthenticated without a session, unless the collection is public', async () => {
    for (const scope of ['shared', 'organization', () => sql`1 = 1`] as const) {
      const reader = readerOf(scope)
      const refusal = { code: 'unauthenticated' }
      await expect(reader.readPage(aContext(test.app), aQuery(full(1, 30)))).rejects.toMatchObject(refusal)
      await expect(reader.readPage(aContext(test.app), aQuery({ mode: 'whole', most: 9 }))).rejects.toMatchObject(
        refusal,
      )
      await expect(reader.countItems(aContext(test.app), [])).rejects.toMatchObject(refusal)
      await expect(reader.readItem(aContext(test.app), 'b-published')).rejects.toMatchObject(refusal)
    }
    expect(await readerOf().countItems(aContext(test.app), [])).toBe(4)
  })
})
