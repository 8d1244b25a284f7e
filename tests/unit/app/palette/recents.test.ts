import { beforeEach, describe, expect, it, vi } from 'vitest'
import { addRecent, readRecents, type Recent } from '#fairway/app/palette/recents'

const ada = { userId: 'ada', orgId: 'one' }
const page = (key: string): Recent => ({ kind: 'page', key })

beforeEach(() => {
  const kept = new Map<string, string>()
  const localStorage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
    removeItem: (name: string) => kept.delete(name),
  }
  vi.stubGlobal('window', { localStorage })
  return () => vi.unstubAllGlobals()
})

describe('recent items', () => {
  it('keep the six newest entries without duplicates, newest first', () => {
    for (const key of ['/1', '/2', '/3', '/1']) addRecent(ada, page(key))
    expect(readRecents(ada).map(({ key }) => key)).toEqual(['/1', '/3', '/2'])
    for (let number = 0; number < 20; number++) addRecent(ada, page(`/n${number}`))
    expect(readRecents(ada)).toHaveLength(6)
  })

  it('are kept for each organization, also while tabs in two of them write', () => {
    addRecent(ada, page('/1'))
    expect(readRecents({ ...ada, orgId: 'two' })).toEqual([])
    addRecent({ ...ada, orgId: 'two' }, page('/2'))
    addRecent(ada, page('/3'))
    expect(readRecents(ada)).toEqual([page('/3'), page('/1')])
    expect(readRecents({ ...ada, orgId: 'two' })).toEqual([page('/2')])
    for (let number = 0; number < 12; number++) addRecent({ ...ada, orgId: `n${number}` }, page('/4'))
    expect(readRecents(ada)).toEqual([])
  })

  it('are empty for another person, whose first entry replaces them', () => {
    addRecent(ada, page('/1'))
    expect(readRecents({ ...ada, userId: 'eve' })).toEqual([])
    addRecent({ ...ada, userId: 'eve' }, page('/2'))
    expect(readRecents(ada)).toEqual([])
  })

  it.each(['no json', '{"userId":"ada"}', 'null'])('are empty when %j is stored', text => {
    window.localStorage.setItem('fairway-recents', text)
    expect(readRecents(ada)).toEqual([])
  })
})
