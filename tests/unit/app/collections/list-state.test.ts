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
  ])('takes %o for the first page as the server gives it', query => {
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

  it('writes what readListState reads', () => {
    const query = writeListState({}, whole, keys)
    expect(query).toEqual({ content: 'a b', tag: ['a', 'b'], sort: '-title', size: '60', page: '3' })
    expect(readListState(query, keys)).toEqual(whole)
  })

  it('writes nothing for the first page as the server gives it', () => {
    expect(writeListState({ page: '2', sort: 'title', content: 'x' }, first, keys)).toEqual({})
    expect(writeListState({}, { ...first, position: 'page=1' }, keys)).toEqual({})
  })

  it('leaves the other keys of the page alone', () => {
    const query = writeListState({ view: 'archived', 'm-page': '2', page: '9', flag: null }, whole, keys)
    expect(query).toMatchObject({ view: 'archived', 'm-page': '2', page: '3' })
  })

  it.each(['id[lt]=8', 'score[lt]=2&id[lt]=8', 'cursor=abc', 'page=2&extra=1'])('keeps the position %s', position => {
    const query = writeListState({}, { ...first, position }, keys)
    expect(Object.keys(query)).toEqual(['at'])
    expect(readListState(query, keys).position).toBe(position)
  })
})

describe('requestPath', () => {
  it('asks for the plain collection when nothing is chosen', () => {
    expect(requestPath('/note-list', first)).toBe('/note-list')
  })

  it('writes filters, order, size and position as the collection reads them', () => {
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
  it('has the filters and the order of the list, and nothing of its pages', () => {
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

  it('finds the page in a link', () => {
    expect(positionOf(`/note-list?${settings}&page=3`, state)).toBe('page=3')
    expect(positionOf(`/note-list?${settings}&page=1`, state)).toBe('')
    expect(positionOf(`https://app.example/note-list?${settings}&page=4`, state)).toBe('page=4')
  })

  it('finds the bounds of a cursor', () => {
    const position = positionOf(`/note-list?${settings}&id%5Blt%5D=8`, state)
    expect([...new URLSearchParams(position)]).toEqual([['id[lt]', '8']])
  })

  it('makes a request that means the same as the link', () => {
    for (const added of ['page=3', 'id%5Blt%5D=8', 'score%5Blt%5D=2&id%5Bgt%5D=5']) {
      const link = `/note-list?${settings}&${added}`
      const path = requestPath('/note-list', { ...state, position: positionOf(link, state) })
      const sorted = (url: string) => [...new URL(url, 'http://x').searchParams].map(String).toSorted()
      expect(sorted(path)).toEqual(sorted(link))
    }
  })
})
