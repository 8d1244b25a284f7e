import { describe, expect, it } from 'vitest'
import { decodeText, readTable } from '../../../../layers/fairway/app/import/read-table'
import { guessColumns, toRows } from '../../../../layers/fairway/app/import/table-file'

const bytes = (...numbers: number[]) => new Uint8Array(numbers).buffer

describe('readTable', () => {
  it.each([
    ['commas', 'name,city\nAda,"Rome, IT"\n'],
    ['semicolons', 'name;city\r\nAda;Rome, IT\r\n'],
    ['tabs', 'name\tcity\nAda\tRome, IT'],
    ['a mark at its beginning and blank lines', '\uFEFFname,city\n\nAda,"Rome, IT"\n,\n\n'],
  ])('reads the same rows with %s', (_with, text) => {
    const decoded = decodeText(new TextEncoder().encode(text).buffer as ArrayBuffer)
    expect(readTable(decoded)).toEqual({ columns: ['name', 'city'], rows: [['Ada', 'Rome, IT']] })
  })

  it('reads a single column, and line breaks in a value', () => {
    expect(readTable('name\n"Ada\nLovelace"\nTom\n').rows).toEqual([['Ada\nLovelace'], ['Tom']])
  })

  it('decodes a file that is not UTF-8 as Windows-1252', () => {
    expect(decodeText(bytes(0x4d, 0xfc, 0x6c, 0x80))).toBe('Mül€')
  })

  it('names the row with an unclosed quotation mark', () => {
    expect(() => readTable('name,city\nAda,Rome\nTom,"Oslo\n')).toThrow('Row 3 cannot be read.')
  })
})

describe('import columns', () => {
  const fields = [
    { name: 'title', label: 'Title' },
    { name: 'companyId', label: 'Company' },
    { name: 'amount', label: 'Betrag' },
  ]
  it.each([
    [['Title', 'company', 'BETRAG'], { title: 0, companyId: 1, amount: 2 }],
    [['Amount (EUR)', 'Company name', 'title'], { title: 2, companyId: 1, amount: 0 }],
    [['Subtitle', 'Title'], { title: 1 }],
    [['x', '', 'Title', 'Title'], { title: 2 }],
  ])('matches %j to fields by name and label, each column once', (columns, guessed) => {
    expect(guessColumns(fields, columns)).toEqual(guessed)
  })

  it('omits fields without a chosen column from the rows', () => {
    expect(toRows([['a', 'b'], ['c']], { title: 1, amount: undefined })).toEqual([{ title: 'b' }, { title: '' }])
  })
})
