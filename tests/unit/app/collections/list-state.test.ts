import { describe, expect, it } from 'vitest'
import {
  exportPath,
  type ListState,
  positionOf,
  readListState,
  requestPath,
  writeListState,
} from '#fairway/app/collections/list-state'

const keys = { prefix: '', filters: ['content', 'tag', 'updatedAt[gt]'] }
const first: ListState = { filters: {}, order: [], position: '' }

describe('readListState', () => {
  it('reads page, size, order and filters', () => {
    const query = { page: '3', size: '60', sort: '-updatedAt,title', content: 'a b', 'updatedAt[gt]': '2026', x: '1' }
    expect(readListState(query, keys)).toEqual({
      filters: { content: 'a b', 'updatedAt[gt]': '2026' },
      order: [
        { field: 'updatedAt', direction: 'desc' },
        { field: 'title', direction: 'asc' },
      ],
      pageSize: 60,
      position: 'page=3',
    })
  })

  it.each([
    { page: '0' },
    { page: '1' },
    { page: '-2' },
    { page: '1.5' },
    { page: 'x' },
    { page: null },
    { size: '0' },
    { size: 'many' },
    { sort: '' },
    { sort: 'a b,;' },
    { content: '' },
    { content: [null, ''] },
  ])('treats %o as the default first page', query => {
    expect(readListState(query, keys)).toEqual(first)
  })

  it('keeps several values of one filter', () => {
    expect(readListState({ tag: ['a', 'b'] }, keys).filters).toEqual({ tag: ['a', 'b'] })
  })

  it('reads only the keys with its prefix', () => {
    const query = { page: '2', 'm-page': '5', 'm-content': 'x', content: 'y' }
    expect(readListState(query, { ...keys, prefix: 'm-' })).toMatchObject({
      filters: { content: 'x' },
      position: 'page=5',
    })
  })
})

describe('writeListState', () => {
  const whole: ListState = {
    filters: { content: 'a b', tag: ['a', 'b'] },
    order: [{ field: 'title', direction: 'desc' }],
    pageSize: 60,
    position: 'page=3',
  }

  it('writes a query that readListState reads back', () => {
    const query = writeListState({}, whole, keys)
    expect(query).toEqual({ content: 'a b', tag: ['a', 'b'], sort: '-title', size: '60', page: '3' })
    expect(readListState(query, keys)).toEqual(whole)
  })

  it('writes an empty query for the default first page', () => {
    expect(writeListState({ page: '2', sort: 'title', content: 'x' }, first, keys)).toEqual({})
    expect(writeListState({}, { ...first, position: 'page=1' }, keys)).toEqual({})
  })

  it('keeps the other query keys of the page', () => {
    const query = writeListState({ view: 'archived', 'm-page': '2', page: '9', flag: null }, whole, keys)
    expect(query).toMatchObject({ view: 'archived', 'm-page': '2', page: '3' })
  })

  it.each(['id[lt]=8', 'score[lt]=2&id[lt]=8', 'cursor=abc', 'page=2&extra=1'])(
    'writes the position %s under one key and reads it back',
    position => {
      const query = writeListState({}, { ...first, position }, keys)
      expect(Object.keys(query)).toEqual(['at'])
      expect(readListState(query, keys).position).toBe(position)
    },
  )
})

describe('requestPath', () => {
  it('returns the plain collection path when no options are set', () => {
    expect(requestPath('/note-list', first)).toBe('/note-list')
  })

  it('writes filters, order, page size and position as query parameters of the collection', () => {
    const path = requestPath('/note-list', {
      filters: { archived: false, content: 'a&b', tag: ['x', 'y'], none: '', not: undefined },
      order: [{ field: 'title', direction: 'asc' }],
      pageSize: 60,
      position: 'page=2',
    })
    expect([...new URL(path, 'http://x').searchParams]).toEqual([
      ['archived', 'false'],
      ['content', 'a&b'],
      ['tag[]', 'x'],
      ['tag[]', 'y'],
      ['order[title]', 'asc'],
      ['itemsPerPage', '60'],
      ['page', '2'],
    ])
  })
})

describe('exportPath', () => {
  it('includes the filters and order of the list, but no paging', () => {
    const state: ListState = {
      filters: { archived: false, tag: ['x', 'y'] },
      order: [{ field: 'title', direction: 'desc' }],
      pageSize: 60,
      position: 'page=2',
    }
    expect(decodeURIComponent(exportPath('/note-list', 'csv', state))).toBe(
      '/note-list/export/csv?archived=false&tag[]=x&tag[]=y&order[title]=desc',
    )
    expect(exportPath('/note-list', 'jsonl', first)).toBe('/note-list/export/jsonl')
  })
})

describe('positionOf', () => {
  const state: ListState = {
    filters: { archived: false, tag: ['x', 'y'] },
    order: [{ field: 'title', direction: 'asc' }],
    pageSize: 60,
    position: 'page=2',
  }
  const settings = 'archived=false&itemsPerPage=60&order%5Btitle%5D=asc&tag%5B%5D=x&tag%5B%5D=y'

  it('reads the page from a link', () => {
    expect(positionOf(`/note-list?${settings}&page=3`, state)).toBe('page=3')
    expect(positionOf(`/note-list?${settings}&page=1`, state)).toBe('')
    expect(positionOf(`https://app.example/note-list?${settings}&page=4`, state)).toBe('page=4')
  })

  it('reads the bounds of a cursor from a link', () => {
    const position = positionOf(`/note-list?${settings}&id%5Blt%5D=8`, state)
    expect([...new URLSearchParams(position)]).toEqual([['id[lt]', '8']])
  })

  it('returns a position whose request has the same parameters as the link', () => {
    for (const added of ['page=3', 'id%5Blt%5D=8', 'score%5Blt%5D=2&id%5Bgt%5D=5']) {
      const link = `/note-list?${settings}&${added}`
      const path = requestPath('/note-list', { ...state, position: positionOf(link, state) })
      const sorted = (url: string) => [...new URL(url, 'http://x').searchParams].map(String).toSorted()
      expect(sorted(path)).toEqual(sorted(link))
    }
  })
})
