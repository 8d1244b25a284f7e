// The permissions that the application declares. Tables files, which drizzle-kit reads without aliases, import this too.

/** The permissions of an application, as `definePermissions` declares them. */
export interface Permissions<Name extends string = string> {
  readonly names: readonly Name[]
  /** What each permission allows, in words. */
  readonly texts: Readonly<Record<Name, string>>
}

const NAME = /^[a-z][a-z0-9-]*(:[a-z][a-z0-9-]*)+$/
const LONGEST_NAME = 64
const LONGEST_TEXT = 120
const MOST = 100

/**
 * Declares the permissions of this application, each with a short text for the people who put it into roles. A name looks like
 * `notes:purge`. Throws at load for another shape, a text that is empty or longer than 120 characters, and more than 100 of them.
 */
export function definePermissions<const Name extends string>(texts: Readonly<Record<Name, string>>): Permissions<Name> {
  const entries = Object.entries<string>(texts)
  if (entries.length === 0 || entries.length > MOST)
    throw new Error(`definePermissions: declare one permission at least and ${MOST} at most`)
  for (const [name, text] of entries) {
    if (!NAME.test(name) || name.length > LONGEST_NAME)
      throw new Error(
        `definePermissions: "${name}" is not a name like notes:purge, with at most ${LONGEST_NAME} characters`,
      )
    if (text.trim() === '' || text.length > LONGEST_TEXT)
      throw new Error(`definePermissions: ${name} needs a text of at most ${LONGEST_TEXT} characters`)
  }
  const names = Object.freeze(Object.keys(texts) as Name[])
  for (const name of names) declared().set(name, (declared().get(name) ?? 0) + 1)
  return Object.freeze({ names, texts: Object.freeze({ ...texts }) })
}

// A file of tables may be loaded beside the server's copy of this module.
const DECLARED = Symbol.for('fairway.permissions')

/** The names, each with the number of its declarations: tests load several applications in one process. */
function declared(): Map<string, number> {
  const known: Map<string, number> | undefined = Reflect.get(globalThis, DECLARED)
  const names = known ?? new Map<string, number>()
  if (!known) Reflect.set(globalThis, DECLARED, names)
  return names
}

/**
 * Returns the name of a declared permission. Throws for any other name, with the names there are. Does not throw before
 * fw.config.ts is loaded, as in drizzle-kit; an undeclared permission then lets nobody in.
 */
export function checkPermission(from: string, name: string): string {
  const names = declared()
  if (names.size === 0 || names.has(name)) return name
  throw new Error(`${from}: there is no permission "${name}"; there are: ${[...names.keys()].join(', ')}`)
}

/** Takes back one declaration of each name, before this process loads fw.config.ts again. */
export function forgetPermissions(names: readonly string[]): void {
  for (const name of names) {
    const others = (declared().get(name) ?? 0) - 1
    if (others > 0) declared().set(name, others)
    else declared().delete(name)
  }
}
