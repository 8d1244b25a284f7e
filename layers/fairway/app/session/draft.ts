const PREFIX = 'fairway-draft-'

/** Reads a stored draft, for example a zod schema. */
export interface DraftSchema<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false }
}

/** Keeps unsaved input in this tab only, in case the session ends. */
export function createDraft<T>(storage: Storage, userId: string, name: string, schema: DraftSchema<T>) {
  const key = `${PREFIX}${userId}-${name}`
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

/** Deletes every draft of this tab, so that no input remains after a sign-out. */
export function forgetDrafts(storage: Storage): void {
  for (const key of Object.keys(storage)) {
    if (key.startsWith(PREFIX)) storage.removeItem(key)
  }
}

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return undefined
  }
}
