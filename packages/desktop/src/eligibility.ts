import { z } from 'zod'
import { type desktopAvailabilitySchema, type desktopHubAppSchema, isLoopbackHost } from 'nuxt-fairway/desktop-wire'
import type { DesktopReason } from './ask'

/** An application that the shell shows, as the shell configures it. */
export const desktopAppSchema = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9-]{0,62}$/),
  name: z.string().min(1).max(60),
  origin: z.string().max(300),
  mode: z.enum(['production', 'development']),
  isEnabled: z.boolean(),
  /** An application that the hub does not declare itself takes part only with exactly `true`. */
  workspaceSso: z.literal(true).optional(),
})
export type DesktopApp = z.infer<typeof desktopAppSchema>

/** An application as the hub knows it. */
export type HubApp = z.infer<typeof desktopHubAppSchema>
/** How an application declares that it signs people in through a hub; null where it does not. */
export type HubClient = z.infer<typeof desktopAvailabilitySchema>['client']

type Eligibility = { isEligible: true; hubApp: HubApp } | { isEligible: false; reason: DesktopReason }

const refused = (reason: DesktopReason): Eligibility => ({ isEligible: false, reason })

/**
 * Whether the person may sign in to an application, judged only by the shell's configuration and the hub's snapshot. An
 * application that the hub does not declare itself must also pass `checkClient`.
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

/** Returns why the application's own description does not match the hub and its registration there; undefined where it does. */
export function checkClient(client: HubClient, hubApp: HubApp, hub: string): DesktopReason | undefined {
  if (!client) return 'no-shared-secret'
  if (client.hubUrl !== hub) return 'hub-differs'
  const isRegistered =
    client.appId === hubApp.appId && client.clientId === hubApp.clientId && client.callbackUrl === hubApp.callbackUrl
  return isRegistered ? undefined : 'not-registered'
}

/** A callback must be a plain path on the application's own origin. */
function isCallbackOf({ callbackUrl, origin }: HubApp): boolean {
  if (!URL.canParse(callbackUrl)) return false
  const url = new URL(callbackUrl)
  return url.origin === origin && callbackUrl === `${origin}${url.pathname}`
}

/** `URL` accepts a star and other characters in a host name; no real host contains them. */
const PLAIN = /^https?:\/\/[a-z0-9.:[\]-]+$/

/** Whether a text is exactly an HTTPS origin; with `allowLoopback`, http on this machine counts too. */
export function isExactOrigin(text: string, allowLoopback: boolean): boolean {
  if (!PLAIN.test(text) || !URL.canParse(text)) return false
  const { origin, protocol, hostname } = new URL(text)
  if (origin !== text) return false
  return protocol === 'https:' || (allowLoopback && protocol === 'http:' && isLoopbackHost(hostname))
}
