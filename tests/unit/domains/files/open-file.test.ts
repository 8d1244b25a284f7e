import { afterEach, beforeEach, expect, it } from 'vitest'
import { csvRows, openFile } from '#fairway/server/domains/files'
import { storageOf } from '#fairway/server/domains/files/storage-of'
import { withRun } from '#fairway/server/kernel/current-run'
import { newId } from '#fairway/server/kernel/crypto/random'
import { createTestApp, type TestApp } from '../../../support/app'

let test: TestApp
beforeEach(async () => {
  test = await createTestApp()
})
afterEach(() => test.close())

async function keep(...chunks: string[]): Promise<string> {
  const id = newId()
  async function* bytes() {
    for (const chunk of chunks) yield Buffer.from(chunk)
  }
  await (await storageOf(test.app)).write(id, bytes())
  return id
}
const within = <T>(work: () => Promise<T>) => withRun({ app: test.app, session: null }, work)

it('csvRows reads a CSV file row by row, as spreadsheet programs save it', async () => {
  const id = await keep('\uFEFFTitle;Note\r\nA sh', 'ed;"two\nlines"\r\n;\r\nA gate;é\r\n')
  expect(await within(() => Array.fromAsync(csvRows(id)))).toEqual([
    { Title: 'A shed', Note: 'two\nlines' },
    { Title: 'A gate', Note: 'é' },
  ])
})

it('csvRows reads a long file to its end, and stops when its reader stops', async () => {
  const lines = Array.from({ length: 20_000 }, (_, at) => `row ${at},${at}\n`)
  const id = await keep('name,number\n', ...lines)
  expect(await within(async () => (await Array.fromAsync(csvRows(id))).length)).toBe(20_000)
  const first = await within(async () => {
    for await (const row of csvRows(id)) return row
  })
  expect(first).toEqual({ name: 'row 0', number: '0' })
})

it('openFile and csvRows fail with not-found for a missing file', async () => {
  await expect(within(() => openFile(newId()))).rejects.toMatchObject({ code: 'not-found' })
  await expect(within(() => Array.fromAsync(csvRows(newId())))).rejects.toMatchObject({ code: 'not-found' })
})
