import { describe, expect, it } from 'vitest'
import { readOperations } from '#fairway/modules/registry/operation-files'

const read = (entries: string) =>
  readOperations('notes', 'operations.ts', `export default defineOperations({ ${entries} })`)

describe('readOperations', () => {
  it('returns the name, method, path, audit flag and reference details of each operation', () => {
    const found = read(`
      'list-notes': operation({ method: 'GET', path: '/_fw/notes', run: list }),
      'drop-note': operation({
        description: 'Drops.', method: 'DELETE', path: '/_fw/notes/:id', permission: 'drop', recentSignIn: true,
        limit: limits.drops, audit: ['id'], run: drop,
      }),
    `)
    expect(found).toEqual([
      {
        name: 'list-notes',
        domain: 'notes',
        method: 'GET',
        path: '/_fw/notes',
        isAudited: false,
        file: 'operations.ts',
        about: { recentSignIn: false },
      },
      {
        name: 'drop-note',
        domain: 'notes',
        method: 'DELETE',
        path: '/_fw/notes/:id',
        isAudited: true,
        file: 'operations.ts',
        about: { description: 'Drops.', permission: 'drop', recentSignIn: true, limit: 'drops' },
      },
    ])
  })

  it.each([
    ['a method that is no literal', `'a': operation({ method: GET, path: '/_fw/a' })`, 'a: method must be one of GET'],
    ['a path that is no literal', `'a': operation({ method: 'GET', path: base + 'a' })`, 'a: path must be a text'],
    [
      'a path elsewhere',
      `'a': operation({ method: 'GET', path: '/a' })`,
      'a: path must be a text that begins with /_fw/',
    ],
    [
      'a name that is computed',
      `[name]: operation({ method: 'GET', path: '/_fw/a' })`,
      'an entry is not made by operation',
    ],
    ['an entry that is no operation', `'a': other({ method: 'GET', path: '/_fw/a' })`, 'a is not made by operation'],
    ['entries that are spread', `...others`, 'an entry is not made by operation'],
    ['what is no code', `'a': operation({`, 'operations.ts: '],
  ])('refuses an operation with its file and name: %s', (_what, entries, message) => {
    expect(() => read(entries)).toThrow(message)
  })

  it('refuses a file without defineOperations', () => {
    const source = `export default { 'a': operation({ method: 'GET', path: '/_fw/a' }) }`
    expect(() => readOperations('notes', 'operations.ts', source)).toThrow('not made by defineOperations')
  })
})
