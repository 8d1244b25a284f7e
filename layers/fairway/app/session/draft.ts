import { DRAFT_PREFIX } from './forget-drafts'

/** Reads a stored draft, for example a zod schema. */
export interface DraftSchema<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false }
}

/** Keeps unsaved input of a user in an organization in this tab only, in case the session ends. */
export function createDraft<T>(storage: Storage, owner: string, name: string, schema: DraftSchema<T>) {
  const key = `${DRAFT_PREFIX}${owner}-${name}`
  return {
    /** The stored draft, or undefined. */
    read(): T | undefined {
      const parsed = schema.safeParse(parse(storage.getItem(key)))
      return parsed.success ? parsed.data : undefined
    },
    keep: (draft: T) => storage.setItem(key, JSON.stringify(draft)),
    forget: () => storage.removeItem(key),
  }
}

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return undefined
  }
}
