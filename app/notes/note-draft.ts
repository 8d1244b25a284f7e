import * as z from 'zod/mini'

const PREFIX = 'fairway-draft-'

const draftSchema = z.object({ title: z.string(), text: z.string() })
export type NoteDraft = z.infer<typeof draftSchema>

/** Keeps what a person has written and not saved, in this tab only, for the case that the session ends meanwhile. */
export function noteDraft(storage: Storage, userId: string, noteId = 'new') {
  const key = `${PREFIX}${userId}-${noteId}`
  return {
    /** What was kept, or undefined. */
    read(): NoteDraft | undefined {
      return draftSchema.safeParse(parse(storage.getItem(key))).data
    },
    keep: (draft: NoteDraft) => storage.setItem(key, JSON.stringify(draft)),
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
