import type { ActionTypes } from '#fw/action-types'

/** A note as the actions give it. */
export type Note = ActionTypes['create-note']['output']['note']

/** Pinned notes first, then the newest change first: the order of the server. */
export const byPinnedThenNewest = (a: Note, b: Note): number =>
  Number(b.pinned) - Number(a.pinned) || b.updatedAt.localeCompare(a.updatedAt)
