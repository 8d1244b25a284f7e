import { expect, it } from 'vitest'
import { csvRows, openFile } from '#fairway/server/domains/files'
import { files } from '#fairway/server/domains/files/tables'
import { storageOf } from '#fairway/server/domains/files/storage-of'
import { withRun } from '#fairway/server/kernel/current-run'
import { newId } from '#fairway/server/kernel/crypto/random'
import { useTestApp } from '../../../support/use-app'

const test = useTestApp()

async function keep(...chunks: (string | Uint8Array)[]): Promise<string> {
  const id = newId()
  async function* bytes() {
    for (const chunk of chunks) yield Buffer.from(chunk)
  }
  await (await storageOf(test.app)).write(id, bytes())
  return id
}
const rowsOf = (id: string) => within(() => Array.fromAsync(csvRows(id)))
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

it('csvRows reads a character whose bytes are in two chunks of the file', async () => {
  // A file is read from the disk in chunks of 64 KiB.
  const head = `Name\n${'x'.repeat(64 * 1024 - 'Name\n'.length - 'Zo'.length - 2)}\nZo`
  expect((await rowsOf(await keep(`${head}ë\n`))).at(-1)).toEqual({ Name: 'Zoë' })
})

it('csvRows reads the encodings and separators that the import dialog reads', async () => {
  const text = 'Name\tOrt\r\nZoë\tKöln\r\n'
  expect(await rowsOf(await keep(Buffer.from(`\uFEFF${text}`, 'utf16le')))).toEqual([{ Name: 'Zoë', Ort: 'Köln' }])
  expect(await rowsOf(await keep(Buffer.from(`sep=;\n${text.replaceAll('\t', ';')}`, 'latin1')))).toEqual([
    { Name: 'Zoë', Ort: 'Köln' },
  ])
  expect(await rowsOf(await keep('Name\nMüller, Meier & Co\n'))).toEqual([{ Name: 'Müller, Meier & Co' }])
})

it('csvRows fails with invalid-input at a row that does not fit, after the rows above it', async () => {
  const id = await keep('Name;City\n\nAda;Rome\nTom;Oslo;Norway\nEve;Bonn\n')
  const names: (string | undefined)[] = []
  const reading = within(async () => {
    for await (const { Name } of csvRows(id)) names.push(Name)
  })
  await expect(reading).rejects.toMatchObject({
    code: 'invalid-input',
    detail: 'Row 4 of the file has more cells than there are column names.',
    extra: { row: 4 },
  })
  expect(names).toEqual(['Ada'])
  await expect(rowsOf(await keep('Name\nAda\n"Tom\nEve\n'))).rejects.toMatchObject({ extra: { row: 3 } })
})

it('csvRows names columns that have the same name or none', async () => {
  const id = await keep('Phone;Phone;;\n1;2;3\n')
  expect(await rowsOf(id)).toEqual([{ Phone: '1', Phone_1: '2', '#3': '3', '#4': '' }])
})

it('openFile returns name, type and size with the bytes', async () => {
  const id = await keep('Name\nAda\n')
  const file = { orgId: 'o', upload: 'lists', name: 'people.csv', type: 'text/csv', size: 9, sha256: '' }
  await test.app.db.orm.insert(files).values({ id, ...file, state: 'kept', createdAt: test.app.now() })
  const { bytes, ...facts } = await within(() => openFile(id))
  expect(facts).toEqual({ name: 'people.csv', type: 'text/csv', size: 9 })
  expect(Buffer.concat(await Array.fromAsync(bytes)).toString()).toBe('Name\nAda\n')
})

it('openFile and csvRows fail with not-found for a missing file', async () => {
  await expect(within(() => openFile(newId()))).rejects.toMatchObject({ code: 'not-found' })
  await expect(within(() => Array.fromAsync(csvRows(newId())))).rejects.toMatchObject({ code: 'not-found' })
})
