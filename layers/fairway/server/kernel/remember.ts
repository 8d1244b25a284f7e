// Everything that this process caches and could find again. ARCHITECTURE.md lists the same rows, with the events that clear each
// of them.
import { LRUCache } from 'lru-cache'

const shortcut = (most: number) => ({ most, isShortcut: true })
/** For caches that results depend on, or that spare other servers: they stay with `FW_SHORTCUTS=off`. */
const needed = (most: number) => ({ most, isShortcut: false })

/** The maximum number of values in each; the least recently used are dropped first. */
export const REMEMBERED = {
  'access-rows': shortcut(2000),
  'access-tokens': shortcut(1000),
  'client-documents': needed(1000),
  'client-keys': needed(1000),
  'client-refusals': needed(1000),
  'collection-pages': shortcut(500),
  'collection-queries': shortcut(500),
  'collection-statements': needed(300),
  cookies: shortcut(5000),
  'file-facts': shortcut(500),
  'local-limits': needed(10_000),
  'mcp-lists': shortcut(500),
  'page-checks': shortcut(500),
  'page-paths': shortcut(500),
  pages: shortcut(500),
  'prepared-statements': needed(300),
  rows: shortcut(200),
  'ruled-paths': shortcut(1000),
  sessions: shortcut(5000),
  'sign-in-pages': shortcut(50),
  'stable-statements': shortcut(500),
  'straight-paths': shortcut(1000),
}

export type RememberedName = keyof typeof REMEMBERED

/** Values under a key that contains everything they depend on. */
export interface Remembered<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  delete(key: string): void
  clear(): void
  /** Returns the value under this key, or the result of `make`. */
  of(key: string, make: () => Value): Value
}

const NOTHING: Remembered<never> = {
  get: () => undefined,
  set: () => undefined,
  delete: () => undefined,
  clear: () => undefined,
  of: (_key, make) => make(),
}

/** Creates an empty memory of this name; a disabled shortcut keeps no values. */
export function createRemembered<Value extends {}>(name: RememberedName, shortcuts = true): Remembered<Value> {
  const { most, isShortcut } = REMEMBERED[name]
  if (isShortcut && !shortcuts) return NOTHING as Remembered<Value>
  const kept = new LRUCache<string, Value>({ max: most })
  return {
    get: key => kept.get(key),
    set: (key, value) => void kept.set(key, value),
    delete: key => void kept.delete(key),
    clear: () => kept.clear(),
    of(key, make) {
      const known = kept.get(key)
      if (known !== undefined) return known
      const made = make()
      kept.set(key, made)
      return made
    },
  }
}

/** The parts of an App that this needs. The kernel's database also has memories, and an App holds that database. */
interface Rememberer {
  config: { shortcuts: boolean }
  memo<T>(name: string, make: () => T): T
}

/** Returns an application's memory of this name. */
export const remembered = <Value extends {}>({ config, memo }: Rememberer, name: RememberedName): Remembered<Value> =>
  memo(`remembered:${name}`, () => createRemembered<Value>(name, config.shortcuts))
