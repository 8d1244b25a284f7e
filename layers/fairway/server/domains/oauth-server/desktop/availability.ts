import type * as z from 'zod/mini'
import { findHubClient } from '#fairway/server/domains/oauth-client'
import type { App } from '#fairway/server/kernel/app-context'
import type { desktopAvailabilitySchema } from '#fairway/shared/schemas/desktop'
import { isWorkspaceSsoOn } from './workspace-sso-flag'

/** Whether this is a hub that offers desktop sign-in now; where not, nothing of it can be seen. */
export const isDesktopHub = async (app: App): Promise<boolean> =>
  app.config.identity.hub !== undefined && (await isWorkspaceSsoOn(app))

/** Whether this application has anything to say to a desktop application of this `User-Agent`. */
export const hasDesktopPart = (app: App, userAgent: string): boolean =>
  app.config.identity.hub !== undefined || findHubClient(app, userAgent) !== undefined

/** What this application is to a desktop application: a hub that offers sign-in, or one that people sign in to through a hub. */
export async function desktopAvailability(
  app: App,
  userAgent: string,
): Promise<z.output<typeof desktopAvailabilitySchema>> {
  const client = findHubClient(app, userAgent)
  return {
    available: await isDesktopHub(app),
    client: client
      ? { hubUrl: client.url, appId: client.appId, clientId: client.clientId, callbackUrl: client.callbackUrl }
      : null,
  }
}
