import type { App } from '#fairway/server/kernel/app-context'
import { DESKTOP_CEREMONIES_PATH, DESKTOP_COMPLETE_PATH } from '#fairway/shared/paths'

/** The path and query of the page on which a person confirms a ceremony. */
export const ceremonyPath = (id: string, nonce: string): string =>
  `${DESKTOP_CEREMONIES_PATH}/${encodeURIComponent(id)}?${new URLSearchParams({ nonce })}`

/** The path and query of the page that ends a ceremony. */
export const completionPath = (nonce: string): string => `${DESKTOP_COMPLETE_PATH}?${new URLSearchParams({ nonce })}`

/** The address that the window of a desktop application opens. */
export const ceremonyUrl = ({ config }: App, id: string, nonce: string): string =>
  config.baseUrl + ceremonyPath(id, nonce)

/** The address that tells a desktop application that the window has done its part. */
export const completionUrl = ({ config }: App, nonce: string): string => config.baseUrl + completionPath(nonce)
