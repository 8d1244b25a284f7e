import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { file, fileSchema, filesSchema, organizationColumns, personSchema } from 'nuxt-fairway/tables'
import { defineAction, importRows, inOrganization, newId } from '#fw'
import { runAction } from '#fairway/server/domains/actions'
import { unknownUploads } from '#fairway/server/domains/actions/coerce-input'
import { keepFiles } from '#fairway/server/domains/files'
import { issueTicket } from '#fairway/server/domains/files/ticket'
import type { Session } from '#fairway/shared/schemas/session'
import { shareTestApp } from '../../../support/use-app'
import { addTo, aMember, sessionNow } from '../../../support/members'
import { query } from '../../../support/query'
import { aFile } from '../../../support/stored-files'

const line = z.object({
  id: z.string().optional(),
  scan: fileSchema('scans').nullable().optional(),
  more: filesSchema('scans').optional(),
  by: personSchema.optional(),
})
const input = z.object({
  id: z.string().optional(),
  scan: fileSchema('scans').optional(),
  by: personSchema.optional(),
  lines: z.array(line).optional(),
  part: z.object({ line }).optional(),
  named: z.record(z.string(), line).optional(),
  either: z.union([z.literal('none'), line]).optional(),
  made: z.preprocess(value => value, line).optional(),
  meta: z.record(z.string(), z.unknown()).optional(),
})
const action = defineAction({ description: 'Takes files and people.', input, run: given => given })

const sheets = sqliteTable('sheets', {
  id: text('id').primaryKey(),
  ...organizationColumns(),
  scan: file('scan', { upload: 'scans' }),
})

const test = shareTestApp()
let ada: Session
let tom: Session
let eve: Session
beforeAll(async () => {
  await query(
    test.app,
    `create table sheets (id text primary key, org_id text not null, created_by text_creator, created_by_name text not null, scan text_file)`,
  )
  await keepFiles(test.app)
  ada = await aMember(test.app)
  const second = await aMember(test.app)
  await addTo(test.app, ada, second, 'member')
  eve = await aMember(test.app)
  tom = { ...(await sessionNow(test.app, second)), orgId: ada.orgId }
})

const ticketOf = async (who: Session, upload = 'scans') => {
  const id = await aFile(test.app, 'x', who, upload)
  return { id, ticket: issueTicket(test.app, who, { id, upload }) }
}
const run = (given: object, session = ada) =>
  runAction(test.app, { name: 'it', action, input: given, session, caller: 'http', requestId: 'r' })
const refusal = (given: object) =>
  run(given).then(
    () => 'accepted',
    error => [
      error.code,
      ...error.errors.map((fault: { path: string; code?: string }) => `${fault.path} ${fault.code}`),
    ],
  )
/** A sheet that has a file of Ada's organization. */
async function aSheet() {
  const [id, { id: scan }] = [newId(), await ticketOf(ada)]
  await query(test.app, `insert into sheets (id, org_id, created_by_name, scan) values (?, ?, 'x', ?)`, [
    id,
    ada.orgId,
    scan,
  ])
  return { id, scan }
}

const places: [string, (value: object) => object, string][] = [
  ['a field', value => value, ''],
  ['a list', value => ({ lines: [{}, value] }), 'lines.1.'],
  ['a nested object', value => ({ part: { line: value } }), 'part.line.'],
  ['a record', value => ({ named: { one: value } }), 'named.one.'],
  ['a preprocessed object', value => ({ made: value }), 'made.'],
]

describe.each(places)('people and files in %s', (_name, at, path) => {
  it('are accepted as members and own uploads, and tickets become the ids of files', async () => {
    const { id, ticket } = await ticketOf(ada)
    expect(await run(at({ scan: ticket, by: tom.email.toUpperCase() }))).toEqual(at({ scan: id, by: tom.email }))
  })

  it('are refused as strangers, uploads of others, other uploads and files of other rows', async () => {
    const { scan } = await aSheet()
    const [theirs, other] = [await ticketOf(tom), await ticketOf(ada, 'others')]
    const refused = ['invalid-input', `${path}scan no-such-file`]
    for (const given of [theirs.ticket, theirs.id, other.ticket, scan, 'none'])
      expect(await refusal(at({ scan: given })), given).toEqual(refused)
    expect(await refusal(at({ by: eve.email }))).toEqual(['not-a-member', `${path}by undefined`])
  })
})

describe('a file that a row has', () => {
  it('is accepted where the object around it has the id of the row', async () => {
    const { id, scan } = await aSheet()
    const other = await aSheet()
    expect(await run({ id, scan })).toEqual({ id, scan })
    expect(await run({ lines: [{ id, scan }, other] })).toEqual({ lines: [{ id, scan }, other] })
    expect(await refusal({ id: other.id, scan })).toEqual(['invalid-input', 'scan no-such-file'])
    expect(await refusal({ id: other.id, scan, lines: [{ id, scan }] })).toContain('scan no-such-file')
    expect(await refusal({ id: other.id, scan, meta: { id, x: scan } })).toContain('scan no-such-file')
  })
})

it('a list of files is refused as a whole, and has each file once', async () => {
  const [{ id, ticket }, theirs] = [await ticketOf(ada), await ticketOf(tom)]
  expect(await run({ lines: [{ more: [ticket, { id: 'x', ticket }] }] })).toEqual({ lines: [{ more: [id] }] })
  expect(await refusal({ lines: [{ more: [ticket, theirs.ticket] }] })).toEqual([
    'invalid-input',
    'lines.0.more no-such-file',
  ])
})

it('an alternative of a union with a stranger is refused', async () => {
  expect(await run({ either: { by: tom.email } })).toEqual({ either: { by: tom.email } })
  expect(await refusal({ either: { by: eve.email } })).toEqual(['not-a-member', 'either.by undefined'])
})

it('unknownUploads names uploads at any depth that do not exist', () => {
  expect(unknownUploads(action, new Set(['other']))[0]).toContain('there is no upload scans; server/uploads has other')
  expect(unknownUploads(action, new Set(['scans']))).toEqual([])
})

describe('importRows', () => {
  const importSheets = defineAction({
    description: 'Creates sheets.',
    input: z.object({ rows: z.array(z.record(z.string(), z.unknown())) }),
    run: ({ rows }, context) =>
      importRows(sheets, context as never, {
        rows,
        dryRun: false,
        input: z.object({ scan: fileSchema('scans').nullable().optional(), notes: z.array(line).optional() }),
        values: ({ scan }) => ({ scan, id: newId(), ...inOrganization(context.session as Session) }),
      }),
  })
  const importing = (...rows: object[]) =>
    runAction(test.app, {
      name: 'it',
      action: importSheets as never,
      input: { rows },
      session: ada,
      caller: 'http',
      requestId: 'r',
    }).then(
      result => result,
      error => error.errors.map((fault: { path: string; code: string }) => `${fault.path} ${fault.code}`),
    )

  it('takes own uploads, and names each row with a file or a person that it refuses', async () => {
    const [{ ticket }, theirs, held] = [await ticketOf(ada), await ticketOf(tom), await aSheet()]
    expect(
      await importing(
        { scan: ticket },
        { scan: theirs.ticket },
        { scan: theirs.id },
        { scan: held.scan },
        {
          notes: [{ by: eve.email }],
        },
      ),
    ).toEqual([
      'rows.1.scan no-such-file',
      'rows.2.scan no-such-file',
      'rows.3.scan no-such-file',
      'rows.4.notes.0.by no-member',
    ])
    expect(await importing({ scan: ticket })).toMatchObject({ rows: 1 })
  })

  it('names the second of two rows with one file', async () => {
    const { ticket } = await ticketOf(ada)
    expect(await importing({ scan: ticket }, { scan: ticket })).toEqual(['rows.1 no-such-file'])
  })
})
