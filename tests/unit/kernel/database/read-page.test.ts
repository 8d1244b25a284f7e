import { describe, expect, it } from 'vitest'
import { readNewest, readPage, readTotal } from '#fairway/server/kernel/database/read-page'

const rowsUpTo = (amount: number) => Array.from({ length: amount }, (_, at) => ({ id: String(at) }))

describe('readPage', () => {
  const counted = 1000
  const totalOf = async (amount: number, page: number): Promise<[number, number]> => {
    const read = async ({ offset, limit }: { offset: number; limit: number }) =>
      rowsUpTo(amount).slice(offset, offset + limit)
    const { rows, totalItems } = await readPage({ page, itemsPerPage: 10 }, read, async () => counted)
    return [rows.length, totalItems]
  }

  it('counts rows only where the page does not prove their number', async () => {
    expect(await totalOf(0, 1)).toEqual([0, 0])
    expect(await totalOf(10, 1)).toEqual([10, 10])
    expect(await totalOf(20, 2)).toEqual([10, 20])
    expect(await totalOf(21, 2)).toEqual([10, counted])
    expect(await totalOf(20, 3)).toEqual([0, counted])
  })
})

describe('readTotal', () => {
  it('counts to 10,000, and further only for the exact total', async () => {
    const countOf = (rows: number) => async (most: number) => (most < 0 ? rows : Math.min(rows, most))
    expect(await readTotal('capped', countOf(10_000))).toEqual({ totalItems: 10_000 })
    expect(await readTotal('capped', countOf(10_001))).toEqual({ totalItems: 10_000, isTotalCapped: true })
    expect(await readTotal('exact', countOf(20_000))).toEqual({ totalItems: 20_000 })
    expect(await readTotal(undefined, countOf(20_000))).toEqual({ totalItems: 20_000 })
  })
})

describe('readNewest', () => {
  it('has a cursor only where another row follows', async () => {
    const page = (amount: number) => readNewest(async limit => rowsUpTo(amount).slice(0, limit))
    expect(await page(50)).toEqual({ rows: rowsUpTo(50), cursor: null })
    expect(await page(51)).toEqual({ rows: rowsUpTo(50), cursor: '49' })
  })
})
