import type { z } from 'zod'
import type { desktopAvailabilitySchema, desktopHubAppSchema } from '../shared/schemas/desktop'
import type { DesktopApp } from './desktop-app'
import type { DesktopReason } from './desktop-error'
import { isExactOrigin } from './exact-origin'

/** An application as the hub knows it. */
export type HubApp = z.infer<typeof desktopHubAppSchema>
/** How an application says that it signs people in through a hub; null where it does not. */
export type HubClient = z.infer<typeof desktopAvailabilitySchema>['client']

export type Eligibility = { isEligible: true; hubApp: HubApp } | { isEligible: false; reason: DesktopReason }

const refused = (reason: DesktopReason): Eligibility => ({ isEligible: false, reason })

/**
 * Whether an application may be signed in to, by the shell's configuration and the hub's snapshot alone.
 * One that the hub does not declare itself has to pass `checkClient` too.
 */
export function checkEligibility(app: DesktopApp, snapshot: readonly HubApp[], allowLoopback: boolean): Eligibility {
  const hubApp = snapshot.find(({ appId, origin }) => appId === app.id && origin === app.origin)
  if (!app.isEnabled) return refused('not-opted-in')
  if (!hubApp?.isCanonical && app.workspaceSso !== true) return refused('not-opted-in')
  if (app.mode !== 'production') return refused('not-production')
  if (!isExactOrigin(app.origin, allowLoopback)) return refused('origin-not-exact')
  if (!hubApp || !isCallbackOf(hubApp)) return refused('not-registered')
  return { isEligible: true, hubApp }
}

/** Why what an application says of itself does not fit the hub and its registration there; undefined where it does. */
export function checkClient(client: HubClient, hubApp: HubApp, hub: string): DesktopReason | undefined {
  if (!client) return 'no-shared-secret'
  if (client.hubUrl !== hub) return 'hub-differs'
  const isRegistered =
    client.appId === hubApp.appId && client.clientId === hubApp.clientId && client.callbackUrl === hubApp.callbackUrl
  return isRegistered ? undefined : 'not-registered'
}

/** A callback is a plain path of the application's own origin. */
function isCallbackOf({ callbackUrl, origin }: HubApp): boolean {
  if (!URL.canParse(callbackUrl)) return false
  const url = new URL(callbackUrl)
  return url.origin === origin && callbackUrl === `${origin}${url.pathname}`
}
