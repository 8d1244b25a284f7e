import { describe, expect, it } from 'vitest'
import { matching, readToolCatalog } from '#fairway/app/tools/tool-catalog'

const tool = (name: string, description: string) => ({
  name,
  title: name,
  description,
  readOnly: true,
  destructive: false,
  scope: 'mcp:read',
  inputSchema: { type: 'object' },
})
const answer = {
  tools: [tool('list-notes', 'Lists your notes.'), tool('create-note', 'Creates a note.')],
  resources: [],
  prompts: [],
}

describe('the tool catalogue', () => {
  it('is in the order of names', () => {
    expect(readToolCatalog(answer).tools.map(({ name }) => name)).toEqual(['create-note', 'list-notes'])
  })

  it('is refused when it is something else', () => {
    expect(() => readToolCatalog({ tools: [{ name: 'x' }] })).toThrow()
    expect(() => readToolCatalog(undefined)).toThrow()
  })

  it.each([
    ['', 2],
    ['  ', 2],
    ['NOTE', 2],
    ['creates note', 1],
    ['lists creates', 0],
  ])('a search for %j finds %i', (query, count) => {
    expect(matching(readToolCatalog(answer).tools, query)).toHaveLength(count)
  })
})
