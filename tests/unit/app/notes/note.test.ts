import { describe, expect, it } from 'vitest'
import { byPinnedThenNewest } from '../../../../app/notes/note'

const note = (id: string, pinned: boolean, updatedAt: string) => ({
  id,
  title: id,
  text: '',
  pinned,
  archived: false,
  ownerEmail: 'ada@example.test',
  visibility: 'private' as const,
  access: 'owner' as const,
  createdAt: updatedAt,
  updatedAt,
})

describe('byPinnedThenNewest', () => {
  it('puts pinned notes first and newer notes before older ones', () => {
    const notes = [
      note('old', false, '2026-01-01T00:00:00.000Z'),
      note('new', false, '2026-01-03T00:00:00.000Z'),
      note('pinned', true, '2025-01-01T00:00:00.000Z'),
    ]
    expect(notes.toSorted(byPinnedThenNewest).map(({ id }) => id)).toEqual(['pinned', 'new', 'old'])
  })
})
