import { createApp, defineEventHandler, toNodeListener } from 'h3'
import { describe, expect, it } from 'vitest'
import { csvText, type ExportFormat, exportRows, inPieces, sendExport } from '#fairway/server/kernel/export-rows'
import { readCsv } from '#fairway/shared/csv/read-csv'
import { serveListener } from '../../support/web-server'

async function* each<T>(...rows: T[]): AsyncGenerator<T> {
  yield* rows
}
const textOf = async (format: ExportFormat, ...values: unknown[]): Promise<string> =>
  (await Array.fromAsync(exportRows(each(...values.map(value => ({ value }))), ['value'], format))).join('')
const field = async (value: unknown): Promise<string> => (await textOf('csv', value)).split('\r\n')[1] ?? ''

describe('exportRows', () => {
  it('starts CSV with a byte order mark and the column names', async () => {
    expect(await textOf('csv')).toBe('\u{FEFF}value\r\n')
    expect(await textOf('jsonl')).toBe('')
  })

  it.each(['=', '+', '-', '@', '\t', '\0', '＝', '＋', '－', '＠'])(
    'puts an apostrophe before a text that begins with %j (ASVS 1.2.10)',
    async sign => {
      expect(await field(`${sign}1+1`)).toBe(`'${sign}1+1`)
      expect(await field(`1${sign}1`)).toBe(`1${sign}1`)
    },
  )

  it('also quotes a field where RFC 4180 requires it', async () => {
    expect(await textOf('csv', '=HYPERLINK("https://evil.example","a,b")')).toContain(
      `"'=HYPERLINK(""https://evil.example"",""a,b"")"`,
    )
    expect(await textOf('csv', '\r=1', '\n=1', 'a,b')).toBe(`\u{FEFF}value\r\n"'\r'=1"\r\n"'\n'=1"\r\n"a,b"\r\n`)
  })

  it('keeps numbers, and writes dates as ISO 8601, objects as JSON and null as empty', async () => {
    expect(await Promise.all([-5, -0.5, 1e21, '-5'].map(field))).toEqual(['-5', '-0.5', '1e+21', "'-5"])
    expect(await Promise.all([null, undefined, true, new Date(0)].map(field))).toEqual([
      '',
      '',
      'true',
      '1970-01-01T00:00:00.000Z',
    ])
    expect(await field({ a: [1] })).toBe('"{""a"":[1]}"')
    expect(await textOf('jsonl', -5, null, '=1', { a: [1] })).toBe(
      '{"value":-5}\n{"value":null}\n{"value":"=1"}\n{"value":{"a":[1]}}\n',
    )
  })
})

describe('csvText', () => {
  it('writes rows as an export does, with the keys of the first row as columns', () => {
    const rows = [
      { Name: 'Zoë', 'Price, net': 12.5 },
      { Name: '=1+1', 'Price, net': null },
    ]
    expect(csvText(rows)).toBe('\u{FEFF}Name,"Price, net"\r\nZoë,12.5\r\n\'=1+1,\r\n')
  })

  it('quotes fields with the separator that it is given', () => {
    expect(csvText([{ a: '1,5', b: 'x;y' }], { separator: ';' })).toBe('\u{FEFF}a;b\r\n1,5;"x;y"\r\n')
  })

  it('writes the columns without rows', () => {
    expect(csvText([], { columns: ['a', 'b'] })).toBe('\u{FEFF}a,b\r\n')
  })
})

describe('exportRows, read again', () => {
  it.each([
    '+49 30 1234567',
    '=1+1',
    `'=1+1`,
    `''+1`,
    `'quoted'`,
    'x;=1+1',
    'x;"=1+1;"',
    'x\t-1\n@home',
    '- one\n- two',
    'Müller, Meier & Co',
    'say "hi"',
    '"',
    '＝1',
  ])('returns the text %j that was exported', async text => {
    const file = await textOf('csv', text, 'last')
    const rows = await Array.fromAsync(readCsv(each(Buffer.from(file))))
    expect(rows.map(({ cells }) => cells)).toEqual([['value'], [text], ['last']])
  })

  it('leaves no formula in a file that is split by semicolons or tabs', async () => {
    for (const text of ['x;=1+1', 'x;-1', 'x\t@sum', 'x\n+1', 'a,b;=1', 'x;"=1;"'])
      expect((await field(text)).split(/[;\t\n]/)[1]).toMatch(/^'/)
    expect(await field('a-b, +c; d')).toBe('"a-b, +c; d"')
  })
})

describe('inPieces', () => {
  it('requests a short first piece, the next one only when needed, and continues after the last row', async () => {
    const asked: unknown[] = []
    const rows = inPieces<number>(async (after = 0, limit) => {
      asked.push(after)
      return Array.from({ length: Math.min(limit, 1200 - after) }, (_, index) => after + index + 1)
    })
    for (let count = 0; count < 50; count++) await rows.next()
    expect(asked).toEqual([0])
    await rows.next()
    expect(asked).toEqual([0, 50])
    expect((await Array.fromAsync(rows)).at(-1)).toBe(1200)
    expect(asked).toEqual([0, 50, 550, 1050])
  })
})

describe('sendExport', () => {
  async function serveText(text: () => AsyncGenerator<string>) {
    const app = createApp({ onError: () => {} })
    app.use(defineEventHandler(event => sendExport(event, { name: 'rows', format: 'csv', text: text() })))
    return serveListener(toNodeListener(app))
  }

  it('stops reading when the client disconnects', async () => {
    let isEnded = false
    const server = await serveText(async function* () {
      try {
        for (;;) yield 'x'.repeat(1000)
      } finally {
        isEnded = true
      }
    })
    const client = new AbortController()
    const answer = await fetch(server.origin, { signal: client.signal })
    await answer.body?.getReader().read()
    expect(isEnded).toBe(false)
    client.abort()
    await expect.poll(() => isEnded).toBe(true)
    await server.stop()
  })

  it('closes the connection when reading fails, and reads nothing for HEAD', async () => {
    let begun = 0
    const server = await serveText(async function* () {
      begun += 1
      yield 'name\r\n'
      throw new Error('gone')
    })
    expect((await fetch(server.origin, { method: 'HEAD' })).headers.get('content-type')).toContain('text/csv')
    expect(begun).toBe(0)
    await expect(fetch(server.origin).then(answer => answer.text())).rejects.toThrow()
    expect(begun).toBe(1)
    await server.stop()
  })
})
