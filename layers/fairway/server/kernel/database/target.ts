/** The location of the data, which decides how it is reached. */
export type DatabaseTarget =
  | { kind: 'memory'; url: string }
  | { kind: 'file'; url: string; path: string }
  | { kind: 'server'; url: string }
  | { kind: 'replica'; url: string; path: string }

const MEMORY_URL = /^(file:)?:memory:(\?.*)?$/
const FILE_URL = /^file:(?:\/\/(?:localhost)?(?=\/))?([^?#]+)/

/** Returns how a database is reached, by its address; throws for a file address without a path. */
export function databaseTarget(url: string, replicaPath?: string): DatabaseTarget {
  if (MEMORY_URL.test(url)) return { kind: 'memory', url }
  if (!url.startsWith('file:'))
    return replicaPath ? { kind: 'replica', url, path: replicaPath } : { kind: 'server', url }
  const path = FILE_URL.exec(url)?.[1]
  if (!path) throw new Error('the database address names no file')
  return { kind: 'file', url, path: decodeURIComponent(path) }
}
