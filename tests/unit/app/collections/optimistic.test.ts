import { describe, expect, it } from 'vitest'
import { comesBack } from '../../../../layers/fairway/app/collections/list-state'
import { rowsWithPatches, unseen, withPatches } from '../../../../layers/fairway/app/collections/optimistic'

const rows = [
  { id: '1', title: 'Berth', pinned: false, archived: false },
  { id: '2', title: 'Crane', pinned: false, archived: false },
]
const patch = (id: string, values: object | null, settledAt?: number) => ({
  collection: 'notes',
  id,
  values,
  settledAt,
})
const idsOf = (shown: readonly { id: string }[]) => shown.map(({ id }) => id)

describe('optimistic changes', () => {
  it('apply in order, and reverting one keeps the values of the others', () => {
    const [pin, rename] = [patch('1', { pinned: true }), patch('1', { title: 'Quay' })]
    expect(rowsWithPatches(rows, [pin, rename], {})[0]).toMatchObject({ pinned: true, title: 'Quay' })
    expect(rowsWithPatches(rows, [rename], {})[0]).toMatchObject({ pinned: false, title: 'Quay' })
    expect(rowsWithPatches(rows, [], {})).toBe(rows)
    expect(rowsWithPatches(rows, [pin], {})[1]).toBe(rows[1])
  })

  it('hide rows that are being deleted or no longer match an exact filter', () => {
    expect(idsOf(rowsWithPatches(rows, [patch('1', null)], {}))).toEqual(['2'])
    expect(idsOf(rowsWithPatches(rows, [patch('2', { archived: true })], { archived: false }))).toEqual(['1'])
    expect(idsOf(rowsWithPatches(rows, [patch('2', { archived: true })], { archived: [true, false] }))).toEqual([
      '1',
      '2',
    ])
    // In a search, the title need not equal the search text, so a changed title does not hide the row.
    expect(idsOf(rowsWithPatches(rows, [patch('1', { title: 'Quay' })], { title: 'bert' }))).toEqual(['1', '2'])
  })

  it('keep values that the input leaves undefined', () => {
    expect(withPatches(rows[0]!, [patch('1', { pinned: undefined, title: 'Quay' })])).toMatchObject({ pinned: false })
  })

  it('stay visible until rows arrive that were requested after the change completed', () => {
    const all = [patch('1', { pinned: true }), patch('2', { pinned: true }, 100)]
    expect(idsOf(unseen(all, 'notes', 50))).toEqual(['1', '2'])
    expect(idsOf(unseen(all, 'notes', 150))).toEqual(['1'])
    expect(unseen(all, 'books', 50)).toEqual([])
  })
})

describe('comesBack', () => {
  it('returns true after going back in the history or coming from a subpage', () => {
    expect(comesBack('/notes', { back: null, forward: '/notes/1' })).toBe(true)
    expect(comesBack('/notes', { back: '/notes/1', forward: null })).toBe(true)
    expect(comesBack('/notes', { back: '/settings', forward: null })).toBe(false)
    expect(comesBack('/notes', {})).toBe(false)
  })
})
