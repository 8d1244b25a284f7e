import { isRecord } from '#fairway/shared/record'

const FRAGMENT = /^#embed_token=([\w-]{1,200})$/
const MEMBER = 'embedToken'

export interface EmbedWindow {
  location: Pick<Location, 'pathname' | 'search' | 'hash'>
  history: Pick<History, 'replaceState'> & { readonly state: unknown }
}

/**
 * The token of the embed page in this window. Moves it from the fragment of the address to the window's history state, where it
 * survives a reload: frames of other sites often have no storage.
 */
export function takeEmbedToken({ location, history }: EmbedWindow): string | undefined {
  const state = isRecord(history.state) ? history.state : {}
  const tokenInAddress = FRAGMENT.exec(location.hash)?.[1]
  if (tokenInAddress !== undefined)
    history.replaceState({ ...state, [MEMBER]: tokenInAddress }, '', location.pathname + location.search)
  const tokenInState = state[MEMBER]
  return tokenInAddress ?? (typeof tokenInState === 'string' ? tokenInState : undefined)
}
