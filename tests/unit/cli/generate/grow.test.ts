import { describe, expect, it } from 'vitest'
import { grownCatalog } from '#fairway/cli/generate/grow'

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
const former = json({ rooms: { name: 'Rooms', save: 'Save', fields: { title: 'Title', updatedAt: 'Changed' } } })
const after = json({
  rooms: { name: 'Rooms', save: 'Save', fields: { title: 'Title', seats: 'Seats', updatedAt: 'Changed' } },
})

describe('texts of an edited catalog', () => {
  it('gets a new text beside its neighbor and keeps edited, own and deleted texts', () => {
    const own = json({ own: 'Mine', rooms: { name: 'Halls', fields: { title: 'Name', updatedAt: 'Changed' } } })
    expect(grownCatalog({ edited: own, former, after })).toBe(
      json({ own: 'Mine', rooms: { name: 'Halls', fields: { title: 'Name', seats: 'Seats', updatedAt: 'Changed' } } }),
    )
  })

  it('stays the same, byte for byte, when the new text is there already at any place', () => {
    const own = '{"rooms":{"fields":{"seats":"Places","title":"Title"},"name":"Rooms","save":"Save"}}'
    expect(grownCatalog({ edited: own, former, after })).toBe(own)
  })

  it('takes a changed text where the author has not edited it', () => {
    const changed = json({ rooms: { name: 'Halls', save: 'Keep' } })
    const own = json({ rooms: { name: 'Rooms', save: 'Store' } })
    expect(grownCatalog({ edited: own, former, after: changed })).toBe(
      json({ rooms: { name: 'Halls', save: 'Store' } }),
    )
  })

  it('is undefined for a file that is no catalog', () => {
    expect(grownCatalog({ edited: '{ "rooms": ', former, after })).toBeUndefined()
  })
})
