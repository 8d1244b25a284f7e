import { describe, expect, it } from 'vitest'
import { groupTools, matching, toolsByName } from '#fairway/app/tools/tool-catalog'

const tool = (name: string, description: string) => ({
  name,
  title: name,
  description,
  group: 'notes',
  isPlatform: false,
  readOnly: true,
  destructive: false,
  callers: { kind: 'signed-in' as const },
  http: true,
  scope: 'mcp:read',
  inputSchema: { type: 'object' },
})
const answer = {
  tools: [tool('list-notes', 'Lists your notes.'), tool('create-note', 'Creates a note.')],
  resources: [],
  prompts: [],
  collections: [],
}

describe('the tool catalogue', () => {
  it('is sorted by name', () => {
    expect(toolsByName(answer).tools.map(({ name }) => name)).toEqual(['create-note', 'list-notes'])
  })

  it.each([
    ['', 2],
    ['  ', 2],
    ['NOTE', 2],
    ['creates note', 1],
    ['lists creates', 0],
  ])('a search for %j finds %i', (query, count) => {
    expect(matching(toolsByName(answer).tools, query)).toHaveLength(count)
  })
})

describe('groupTools', () => {
  it('returns the groups of the application before those of the platform', () => {
    const of = (name: string, group: string, isPlatform: boolean) => ({ name, group, isPlatform })
    const groups = groupTools([
      of('a', 'team', true),
      of('b', 'notes', false),
      of('c', 'team', false),
      of('d', 'notes', false),
    ])
    expect(groups.map(({ name, isPlatform, tools }) => [name, isPlatform, tools.map(tool => tool.name)])).toEqual([
      ['Notes', false, ['b', 'd']],
      ['Team', false, ['c']],
      ['Team', true, ['a']],
    ])
  })
})
