import { describe, expect, it } from 'vitest'
import { readCsv } from '#fairway/shared/csv/read-csv'

type Encoding = 'utf8' | 'utf16le' | 'utf16be' | 'windows-1252'

function bytesOf(text: string, encoding: Encoding = 'utf8'): Buffer {
  if (encoding === 'utf16be') return Buffer.from(text, 'utf16le').swap16()
  if (encoding !== 'windows-1252') return Buffer.from(text, encoding)
  const extra = new Map([
    ['€', 0x80],
    ['“', 0x93],
    ['–', 0x96],
  ])
  return Buffer.from([...text].map(character => extra.get(character) ?? character.charCodeAt(0)))
}

async function* chunked(bytes: Buffer, size = bytes.length || 1): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
}

const read = (text: string, encoding?: Encoding) => Array.fromAsync(readCsv(chunked(bytesOf(text, encoding))))
const cellsOf = async (text: string, encoding?: Encoding) => (await read(text, encoding)).map(({ cells }) => cells)
const faultsOf = async (text: string) =>
  (await read(text)).flatMap(({ row, fault }) => (fault ? [`${row} ${fault}`] : []))

const MARK = '\u{FEFF}'
const people = [
  ['Name', 'Ort', 'Betrag'],
  ['Zoë Müller', 'Köln', '12,50'],
  ['Meier, Sohn & Co', 'Zürich', '1.234,56'],
]
const rowsWith = (separator: string, end = '\r\n') => people.map(row => row.join(separator) + end).join('')

describe('readCsv, files as programs write them', () => {
  it.each<[string, string, Encoding]>([
    ['Excel, “CSV UTF-8” in German', MARK + rowsWith(';'), 'utf8'],
    ['Excel, “CSV” in German', rowsWith(';'), 'windows-1252'],
    ['Excel, “Unicode text”', MARK + rowsWith('\t'), 'utf16le'],
    ['Excel, with its line for the separator', `sep=;\r\n${rowsWith(';')}`, 'windows-1252'],
    ['Excel on an old Mac', rowsWith(';', '\r'), 'windows-1252'],
    ['LibreOffice, all texts in quotes', people.map(row => `"${row.join('","')}"\n`).join(''), 'utf8'],
    ['Numbers', `${MARK}${rowsWith(';', '\n')}`.trimEnd(), 'utf8'],
    [
      'Google Sheets',
      people.map(row => row.map(cell => (cell.includes(',') ? `"${cell}"` : cell)).join(',')).join('\r\n'),
      'utf8',
    ],
    ['DATEV, texts in quotes', people.map(([a, b, c]) => `"${a}";"${b}";${c}\r\n`).join(''), 'windows-1252'],
    ['a database, UTF-16 without a mark', rowsWith('\t'), 'utf16le'],
    ['a server, UTF-16 in the other order', MARK + rowsWith(';'), 'utf16be'],
    ['a script, with line ends of two kinds', rowsWith(';').replace('\r\n', '\n'), 'utf8'],
    ['a script, with bars', rowsWith('|', '\n'), 'utf8'],
  ])('reads the rows of %s', async (_program, text, encoding) => {
    expect(await cellsOf(text, encoding)).toEqual(people)
  })

  it.each([1, 2, 3, 7, 1000])('reads the same in chunks of %d bytes', async size => {
    for (const encoding of ['utf8', 'utf16le', 'windows-1252'] as const) {
      const rows = await Array.fromAsync(readCsv(chunked(bytesOf(rowsWith(';'), encoding), size)))
      expect(rows.map(({ cells }) => cells)).toEqual(people)
    }
  })

  it.each(['utf8', 'windows-1252'] as const)(
    'decodes %s whose first umlaut is far behind the beginning',
    async encoding => {
      const text = `Name;Ort\n${'Ada;Rom\n'.repeat(40_000)}Zoë;Köln\n`
      for (const size of [1000, 64 * 1024, 64 * 1024 + 1]) {
        const rows = await Array.fromAsync(readCsv(chunked(bytesOf(text, encoding), size)))
        expect([rows.length, rows.at(-1)]).toEqual([40_002, { row: 40_002, cells: ['Zoë', 'Köln'] }])
      }
    },
  )

  it('decides for Windows-1252 when a sample ends with the first byte beyond ASCII', async () => {
    const text = `Name\n${'x'.repeat(64 * 1024 - 6)}äx\n`
    const rows = await Array.fromAsync(readCsv(chunked(bytesOf(text, 'windows-1252'), 64 * 1024)))
    expect(rows.at(-1)?.cells[0]?.slice(-2)).toBe('äx')
  })
})

describe('readCsv, the separator', () => {
  it('keeps a single column whole, whatever its texts contain', async () => {
    expect(await cellsOf('Name\nMüller, Meier & Co\nSchmidt; Söhne\n')).toEqual([
      ['Name'],
      ['Müller, Meier & Co'],
      ['Schmidt; Söhne'],
    ])
    expect(await cellsOf('Last, first\nLovelace\nHopper\n')).toEqual([['Last, first'], ['Lovelace'], ['Hopper']])
  })

  it('takes the separator on which the rows agree', async () => {
    expect(await cellsOf('Name;Preis, netto\nA, B & C;1\nD;2\n')).toEqual([
      ['Name', 'Preis, netto'],
      ['A, B & C', '1'],
      ['D', '2'],
    ])
    expect(await cellsOf('Name;Betrag (EUR, netto)\nA;12,50\nB;14,50\n')).toEqual([
      ['Name', 'Betrag (EUR, netto)'],
      ['A', '12,50'],
      ['B', '14,50'],
    ])
    expect(await cellsOf('name,tags\nA,x;y\nB,z\n')).toEqual([
      ['name', 'tags'],
      ['A', 'x;y'],
      ['B', 'z'],
    ])
  })

  it('reads a file with column names only, and nothing of an empty one', async () => {
    expect(await cellsOf('name,city\n')).toEqual([['name', 'city']])
    for (const text of ['', MARK, '\n\r\n\n', ' ']) expect(await cellsOf(text)).toEqual([])
  })
})

describe('readCsv, rows', () => {
  it('counts rows as a spreadsheet does, blank ones and those with line breaks included', async () => {
    const rows = await read('\nname,city\n\n"Ada\nLovelace",Rome\n , \nTom,Oslo')
    expect(rows.map(({ row, cells }) => [row, ...cells])).toEqual([
      [2, 'name', 'city'],
      [4, 'Ada\nLovelace', 'Rome'],
      [6, 'Tom', 'Oslo'],
    ])
    expect((await read('sep=,\nname,city\nTom,Oslo')).map(({ row }) => row)).toEqual([2, 3])
  })

  it('marks a row with a cell too many, unless the cell is blank', async () => {
    expect(await faultsOf('name,city\n\n\nAda,Rome,IT\nTom,Oslo,\nEve\n')).toEqual(['4 cells'])
    expect(await faultsOf('name,city\nAda,Rome,IT\n')).toEqual(['2 cells'])
  })

  it.each([
    ['name,city\nAda,Rome\nTom,"Oslo\nEve,Bonn\n', '3 quotes'],
    ['name,city\n\n"Ada" L.,Rome\nEve,Bonn\n', '3 quotes'],
    ['name,city\nA,B\n"Ada,Rome\nTom,"Oslo"\n', '3 quotes'],
  ])('ends at a row whose quotation marks do not match: %j', async (text, fault) => {
    const rows = await read(text)
    expect([await faultsOf(text), rows.at(-1)?.fault]).toEqual([[fault], 'quotes'])
  })

  it('keeps quotation marks within a text', async () => {
    expect(await cellsOf('name;size\nthe "Star";3" pipe\n"say ""hi"" ;";""\n')).toEqual([
      ['name', 'size'],
      ['the "Star"', '3" pipe'],
      ['say "hi" ;', ''],
    ])
  })

  it('marks null characters and bytes of another encoding', async () => {
    expect(await faultsOf('name\nAda\0\nTom\n')).toEqual(['2 characters'])
    expect(await faultsOf('name\nZo\u{FFFD}\u{FFFD}\n')).toEqual(['2 characters'])
    const mixed = Buffer.concat([bytesOf('name\nZoë\nKöln\nBjörk\n'), bytesOf('Müller\n', 'windows-1252')])
    const rows = await Array.fromAsync(readCsv(chunked(mixed)))
    expect(rows.map(({ fault }) => fault)).toEqual([undefined, undefined, undefined, undefined, 'characters'])
  })

  it('gives a column name that is there already a number', async () => {
    expect((await cellsOf(' Phone ,Phone,,Phone_1,\n1,2,3,4,5\n'))[0]).toEqual([
      'Phone',
      'Phone_1',
      '',
      'Phone_1_1',
      '',
    ])
  })

  it('reads a very long cell, and refuses an endless one', async () => {
    const long = `"${'x\n'.repeat(200_000)}"`
    expect((await cellsOf(`name\n${long}\nAda\n`))[1]?.[0]).toHaveLength(400_000)
    const endless = bytesOf(`name\n"${'x\n'.repeat(2_000_000)}`)
    let taken = 0
    async function* counted() {
      for await (const chunk of chunked(endless, 64 * 1024)) {
        taken += chunk.length
        yield chunk
      }
    }
    expect((await Array.fromAsync(readCsv(counted()))).at(-1)).toEqual({ row: 2, cells: [], fault: 'quotes' })
    expect(taken).toBeLessThan(1_300_000)
  })
})
