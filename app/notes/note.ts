import type { ActionTypes } from '#fw/action-types'

/** A note as the actions give it. */
export type Note = ActionTypes['create-note']['output']['note']
