import { describe, expect, it } from 'vitest'
import { databaseTarget } from '#fairway/server/kernel/database/target'

describe('databaseTarget', () => {
  it.each([
    ['file:.data/fairway.db', '.data/fairway.db'],
    ['file:/var/lib/fairway.db', '/var/lib/fairway.db'],
    ['file:///var/lib/fairway.db', '/var/lib/fairway.db'],
    ['file://localhost/var/lib/fairway.db', '/var/lib/fairway.db'],
    ['file:/a%20b/c%23.db', '/a b/c#.db'],
  ])('reads the path of %s', (url, path) => {
    expect(databaseTarget(url)).toEqual({ kind: 'file', url, path })
  })

  it.each([':memory:', 'file::memory:', 'file::memory:?cache=shared'])('treats %s as an in-memory database', url => {
    expect(databaseTarget(url).kind).toBe('memory')
  })

  it.each(['libsql://db.example.test', 'https://db.example.test', 'ws://127.0.0.1:8080'])(
    'treats %s as a server',
    url => {
      expect(databaseTarget(url)).toEqual({ kind: 'server', url })
      expect(databaseTarget(url, 'replica.db')).toEqual({ kind: 'replica', url, path: 'replica.db' })
    },
  )

  it('refuses a file address without a path', () => {
    expect(() => databaseTarget('file:')).toThrow('names no file')
  })
})
