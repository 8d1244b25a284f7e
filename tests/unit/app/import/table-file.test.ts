import { describe, expect, it } from 'vitest'
import { readTable } from '../../../../layers/fairway/app/import/read-table'
import { guessColumns, readRows, toRows } from '../../../../layers/fairway/app/import/table-file'

describe('readTable', () => {
  it('returns columns, and rows with the numbers that the file shows', async () => {
    expect(await readTable(new Blob(['sep=;\n\nName;Ort\n\nZoë;Köln\n']))).toEqual({
      columns: ['Name', 'Ort'],
      rows: [['Zoë', 'Köln']],
      numbers: [5],
      faults: [],
    })
    expect(await readTable(new Blob([]))).toMatchObject({ columns: [], rows: [] })
  })

  it('returns each row that cannot be read', async () => {
    const { faults } = await readTable(new Blob(['Name,City\nAda,Rome,IT\nTom,Oslo\nEve,B\0nn\n"Ann,York\n']))
    expect(faults).toEqual([
      { row: 2, fault: 'cells' },
      { row: 4, fault: 'characters' },
      { row: 5, fault: 'quotes' },
    ])
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

describe('readRows', () => {
  it('converts values in the format of their column, and returns those in another', () => {
    const rows = [
      { title: '12,50', amount: '12,50', due: '24.12.2026', paid: 'ja' },
      { title: '', amount: ' ', due: '2026-12-24', paid: 'JA' },
    ]
    const formats = {
      amount: { kind: 'number', format: '1.234,56' },
      due: { kind: 'date', format: '31.12.2026' },
      paid: { kind: 'boolean', format: 'ja / nein' },
    } as const
    expect(readRows(rows, formats)).toEqual({
      rows: [
        { title: '12,50', amount: '12.50', due: '2026-12-24', paid: 'true' },
        { title: '', amount: ' ', due: '2026-12-24', paid: 'true' },
      ],
      unread: [{ row: 1, field: 'due' }],
    })
  })
})
