import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { appRole, definePolicy } from 'nuxt-fairway/tables'
import { defineAppRoles, defineCollection, outputOf } from '#fw'
import { hostFileReader } from '#fairway/server/domains/collections'
import { keepFiles, readWhole } from '#fairway/server/domains/files'
import { assignAppRole, requireOrg } from '#fairway/server/domains/organizations'
import { file, files, organizationColumns, storedFile } from '#fairway/server/fw-tables'
import { withRun } from '#fairway/server/kernel/current-run'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp, type TestApp } from '../../../support/app'
import { aMember, sessionNow } from '../../../support/members'
import { query } from '../../../support/query'
import { aFile } from '../../../support/stored-files'

const leases = sqliteTable('leases', {
  id: text('id').primaryKey(),
  ...organizationColumns(),
  contract: file('contract', { upload: 'contract' }),
  secret: file('secret', { upload: 'contract' }),
  photos: files('photos', { upload: 'photos' }).notNull().default([]),
  extra: text('extra', { mode: 'json' }),
})
definePolicy(leases, {
  read: 'member',
  create: 'member',
  update: 'member',
  delete: 'member',
  fields: { secret: { read: [appRole('manager')] } },
})
const visits = sqliteTable('visits', { id: integer('id').primaryKey(), extra: text('extra', { mode: 'json' }) })

const storedFiles = { contract: storedFile.nullable(), secret: storedFile.nullable(), photos: z.array(storedFile) }
const item = outputOf(leases, { omit: ['orgId'], extend: { ...storedFiles, extra: z.unknown() } })

const collection = (mcp: boolean, source: object = { source: leases }) =>
  defineCollection({ description: 'The leases.', mcp, item, scope: 'organization', ...source } as never)

it('hostFileReader offers files only from collections that hosts can list', () => {
  expect(hostFileReader([])).toBeUndefined()
  expect(hostFileReader([{ name: 'leases', collection: collection(false) }])).toBeUndefined()
  expect(hostFileReader([{ name: 'leases', collection: collection(true) }])).toBeTypeOf('function')
})

describe('the file of an item', () => {
  let test: TestApp
  let ada: Session
  let eve: Session
  const entries = [
    { name: 'leases', collection: collection(true) },
    {
      name: 'renamed',
      collection: collection(true, { source: leases, toItem: (row: object) => ({ ...row, photos: [], secret: null }) }),
    },
    {
      name: 'visits',
      collection: defineCollection({
        description: 'Visits.',
        mcp: true,
        item: z.object({ id: z.number(), extra: z.unknown() }),
        source: visits,
        scope: 'everybody',
      }),
    },
  ]

  beforeAll(async () => {
    test = await createTestApp({}, { appRoles: defineAppRoles({ appId: 'crm', roles: ['manager'] }) })
    await test.app.db.client.executeMultiple(`
      create table leases (id text primary key, org_id text not null, created_by text_creator, created_by_name text not null,
        contract text_file, secret text_file, photos text_files not null default '[]', extra text);
      create table visits (id integer primary key, extra text);`)
    await keepFiles(test.app)
    ada = await aMember(test.app)
    eve = await aMember(test.app)
  })
  afterAll(() => test.close())

  let rows = 0
  /** A lease of this person, with a file in this column. */
  async function aLease(who: Session, column = 'contract', extra: object = {}) {
    const [id, held] = [`lease-${++rows}`, await aFile(test.app, `The file of ${who.name}.`, who)]
    await query(
      test.app,
      `insert into leases (id, org_id, created_by_name, ${column}, extra) values (?, ?, 'x', ?, ?)`,
      [id, who.orgId, column === 'photos' ? JSON.stringify([held]) : held, JSON.stringify(extra)],
    )
    return { row: id, file: held }
  }
  const read = (who: Session, place: { row: string; file: string }, name = 'leases'): Promise<string> =>
    withRun({ app: test.app, session: who }, async () => {
      const context = { session: who, signal: new AbortController().signal, requestId: 'r' }
      return (await hostFileReader(entries)!({ collection: name, ...place }, context)).text()
    })
  const missing = { code: 'not-found' }

  it('is found in its column, one or a list, for those who may read the row', async () => {
    const [one, list] = [await aLease(ada), await aLease(ada, 'photos')]
    expect([await read(ada, one), await read(ada, list)]).toEqual(Array(2).fill(`The file of ${ada.name}.`))
    await expect(read(eve, one)).rejects.toMatchObject(missing)
    await expect(read(ada, { ...one, file: list.file })).rejects.toMatchObject(missing)
  })

  it('is not opened by an object of its shape in another field', async () => {
    const { file: theirs } = await aLease(eve)
    for (const name of ['leases', 'renamed']) {
      const row = `lease-${rows + 1}`
      await aLease(ada, 'contract', { id: theirs, url: `/_fw/files/${name}/${row}/${theirs}` })
      await expect(read(ada, { row, file: theirs }, name)).rejects.toMatchObject(missing)
    }
  })

  it('is sent only when the function of its collection shows it', async () => {
    const [shown, hidden] = [await aLease(ada), await aLease(ada, 'photos')]
    expect(await read(ada, shown, 'renamed')).toBe(`The file of ${ada.name}.`)
    await expect(read(ada, hidden, 'renamed')).rejects.toMatchObject(missing)
  })

  it('is downloaded by those who may read its field', async () => {
    const place = await aLease(ada, 'secret')
    await expect(read(ada, place)).rejects.toMatchObject(missing)
    await withRun({ app: test.app, session: ada }, () =>
      assignAppRole(test.app, requireOrg(ada, 'assign-app-role'), { email: ada.email, role: 'manager' }),
    )
    expect(await read(await sessionNow(test.app, ada), place)).toBe(`The file of ${ada.name}.`)
  })

  it.each([
    ['state', 'unwanted'],
    ['table_name', 'visits'],
    ['column_name', 'secret'],
    ['row_id', 'lease-0'],
    ['org_id', 'another'],
  ])('is not sent when %s of its note is another', async (column, value) => {
    const place = await aLease(ada)
    await query(test.app, `update fw_files set ${column} = ? where id = ?`, [value, place.file])
    await expect(read(ada, place)).rejects.toMatchObject(missing)
    const held = { id: place.file, held: ['leases', 'contract', place.row, ada.orgId] } as const
    await expect(readWhole(test.app, held as never, 1000)).rejects.toMatchObject(missing)
  })
})
