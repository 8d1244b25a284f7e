// Everything that this process caches and could find again. ARCHITECTURE.md lists the same rows, with the events that clear each
// of them. Caches of one name have the same size each.
import { LRUCache } from 'lru-cache'

const shortcut = (most: number) => ({ most, isShortcut: true })
/** For caches that results depend on, or that spare other servers: they stay with `FW_SHORTCUTS=off`. */
const needed = (most: number) => ({ most, isShortcut: false })

/** The maximum number of values in each; the least recently used are dropped first. */
export const CACHES = {
  'access-rows': shortcut(2000),
  'access-tokens': shortcut(1000),
  'client-documents': needed(1000),
  cookies: shortcut(5000),
  'local-limits': needed(10_000),
  'mcp-lists': shortcut(500),
  pages: shortcut(500),
  'prepared-statements': needed(300),
  'provider-metadata': needed(1000),
  sessions: shortcut(5000),
}

export type CacheName = keyof typeof CACHES

/** Values under a key that contains everything they depend on. */
export interface Cache<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  delete(key: string): void
  clear(): void
  /** Returns the value under this key, or the result of `make`. */
  getOrSet(key: string, make: () => Value): Value
}

const NOTHING: Cache<never> = {
  get: () => undefined,
  set: () => undefined,
  delete: () => undefined,
  clear: () => undefined,
  getOrSet: (_key, make) => make(),
}

/** Creates an empty cache of this name; a disabled shortcut keeps no values. */
export function createCache<Value extends {}>(name: CacheName, shortcuts = true): Cache<Value> {
  const { most, isShortcut } = CACHES[name]
  if (isShortcut && !shortcuts) return NOTHING as Cache<Value>
  const entries = new LRUCache<string, Value>({ max: most })
  return {
    get: key => entries.get(key),
    set: (key, value) => void entries.set(key, value),
    delete: key => void entries.delete(key),
    clear: () => entries.clear(),
    getOrSet(key, make) {
      const known = entries.get(key)
      if (known !== undefined) return known
      const value = make()
      entries.set(key, value)
      return value
    },
  }
}

/** The parts of an App that this needs. The kernel's database also has caches, and an App holds that database. */
interface CacheHolder {
  config: { shortcuts: boolean }
  memo<T>(name: string, make: () => T): T
}

/** Returns an application's cache of this name. */
export const cacheOf = <Value extends {}>({ config, memo }: CacheHolder, name: CacheName): Cache<Value> =>
  memo(`cache:${name}`, () => createCache<Value>(name, config.shortcuts))
