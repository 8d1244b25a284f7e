import type { App } from '#fairway/server/kernel/app-context'
import type { HubClientConfig } from '#fairway/server/kernel/config/identity-config'

/** What desktop applications put into their `User-Agent`. */
const DESKTOP_MARKER = /(?:^|\s)Fairway-Desktop\//

/**
 * The hub that whoever has this `User-Agent` can sign in through, or undefined. One that only the application's declaration names
 * is for the desktop; its marker is a hint that anybody can send, and it opens nothing.
 */
export function findHubClient({ config }: App, userAgent: string): HubClientConfig | undefined {
  const { client } = config.identity
  if (!client || config.customSignIn) return undefined
  return client.isDesktopOnly && !DESKTOP_MARKER.test(userAgent) ? undefined : client
}
