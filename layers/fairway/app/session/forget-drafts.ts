/** The prefix of the keys of drafts. */
export const DRAFT_PREFIX = 'fairway-draft-'

/** Deletes every draft of this tab, so that no input remains after a sign-out. */
export function forgetDrafts(storage: Storage): void {
  for (const key of Object.keys(storage)) {
    if (key.startsWith(DRAFT_PREFIX)) storage.removeItem(key)
  }
}
