const PREFIX = 'fairway-draft-'

/** What reads a kept draft, for example a schema of zod. */
export interface DraftSchema<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false }
}

/** Keeps what a person has written and not saved, in this tab only, for the case that the session ends meanwhile. */
export function createDraft<T>(storage: Storage, userId: string, name: string, schema: DraftSchema<T>) {
  const key = `${PREFIX}${userId}-${name}`
  return {
    /** What was kept, or undefined. */
    read(): T | undefined {
      const parsed = schema.safeParse(parse(storage.getItem(key)))
      return parsed.success ? parsed.data : undefined
    },
    keep: (draft: T) => storage.setItem(key, JSON.stringify(draft)),
    forget: () => storage.removeItem(key),
  }
}

/** Forgets every draft of this tab; nothing written stays behind after a sign-out. */
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
