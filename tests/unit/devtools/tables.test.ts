import { beforeAll, expect, it } from 'vitest'
import { isMasked, listTables, readTable, ROWS_ON_A_PAGE } from '#fairway/server/devtools/tables'
import { createRecording } from '#fairway/server/devtools/recording'
import { mintSession } from '#fairway/server/domains/people'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { shareTestApp } from '../../support/use-app'
import { addPerson } from '../../support/members'

const test = shareTestApp()
beforeAll(async () => {
  for (let index = 0; index <= ROWS_ON_A_PAGE; index++) await addPerson(test.app, { name: `Person ${index}.` })
})

it('listTables returns application tables first, then platform tables, with row counts', async () => {
  const tables = await listTables(test.app)
  expect(tables[0]).toMatchObject({ name: 'notes', isPlatform: false, rows: 0 })
  expect(tables.find(({ name }) => name === 'users')).toMatchObject({ isPlatform: true, rows: ROWS_ON_A_PAGE + 1 })
  expect(tables.map(({ name }) => name)).toContain('fw_migrations')
})

it('readTable returns rows in pages and searches them by text', async () => {
  const second = await readTable(test.app, 'users', { page: 2, search: '' })
  expect([second?.rows.length, second?.total]).toEqual([1, ROWS_ON_A_PAGE + 1])
  const found = await readTable(test.app, 'users', { page: 1, search: 'person 17.' })
  expect(found?.total).toBe(1)
  expect(await readTable(test.app, 'users"; drop table notes; --', { page: 1, search: '' })).toBeUndefined()
})

it('readTable masks secret values and excludes them from the search', async () => {
  const person = await addPerson(test.app, { name: 'Signed in' })
  const input = { userId: person.id, email: person.email, securityVersion: 0, provider: 'dev', provesAddress: false }
  await mintSession(test.app, { ...input, ipAddress: '127.0.0.1', userAgent: 'test' })
  const { rows } = await test.app.db.client.execute('select token from sessions')
  const token = String(rows[0]?.token)
  const shown = await readTable(test.app, 'sessions', { page: 1, search: '' })
  expect(JSON.stringify(shown?.rows)).not.toContain(token)
  expect(shown?.rows[0]).toContain('••••')
  expect((await readTable(test.app, 'sessions', { page: 1, search: token }))?.total).toBe(0)
})

it.each([
  ['accounts', 'password'],
  ['accounts', 'refresh_token'],
  ['fw_one_time', 'hash'],
  ['fw_one_time', 'payload'],
  ['mail_outbox', 'content'],
  ['vault_credentials', 'ciphertext'],
  ['customers', 'api_key'],
])('isMasked hides %s.%s', (table, column) => {
  expect(isMasked(test.app, table, column)).toBe(true)
})

it('isMasked does not hide an application’s content', () => {
  const masked = (table: string, column: string) => isMasked(test.app, table, column)
  expect([masked('notes', 'content'), masked('notes', 'title'), masked('users', 'email')]).toEqual([
    false,
    false,
    false,
  ])
})

it('createRecording keeps the last 200 requests and each denial once', () => {
  const recording = createRecording(() => new Date(0))
  for (let index = 0; index < 250; index++) recording.begin(`r${index}`, 'GET', '/')
  expect(recording.requests().length).toBe(200)
  expect([recording.requests()[0]?.id, recording.find('r49')]).toEqual(['r249', undefined])
  const target = { kind: 'action' as const, name: 'x', session: null, ids: [] }
  recording.deny('r249', target, new AppError('forbidden'))
  expect(recording.deny('r249', target, new AppError('forbidden'))).toBeUndefined()
  recording.deny('r248', target, new AppError('forbidden'))
  expect(recording.denials().length).toBe(2)
})
