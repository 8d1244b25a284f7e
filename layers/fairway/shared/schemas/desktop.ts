// Uses zod/mini because the settings page parses a desktop application's messages with it.
import * as z from 'zod/mini'
import { EMAIL_ADDRESS } from '../email-address'

/** The state of a workspace's desktop sign-in. */
export const desktopStates = ['idle', 'signing-in', 'signed-in', 'incomplete', 'sign-in-required', 'failed'] as const

/** The commands that a page may send to the broker. Commands and responses contain no cookie, token or credential. */
export const desktopCommandSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('get-status') }),
  z.strictObject({ type: z.literal('sign-in') }),
  /** Retries the applications that are not signed in. */
  z.strictObject({ type: z.literal('retry') }),
  /** Signs out of every application and of the hub. */
  z.strictObject({ type: z.literal('sign-out') }),
  z.strictObject({ type: z.literal('set-enabled'), isEnabled: z.boolean() }),
])
export type DesktopCommand = z.infer<typeof desktopCommandSchema>

/** Why one application, or all of them, are not signed in; pages have a text for each. */
export const desktopReasons = [
  'not-opted-in',
  'not-production',
  'origin-not-exact',
  'not-registered',
  'hub-differs',
  'no-shared-secret',
  'other-account',
  'refused',
  'unreachable',
  'cancelled',
  'timed-out',
  'clean-up-failed',
] as const

const address = z.email({ pattern: EMAIL_ADDRESS })
const appId = z.string().check(z.regex(/^[a-z][a-z0-9-]{0,62}$/))

export const desktopStatusSchema = z.strictObject({
  state: z.enum(desktopStates),
  /** The preference `desktopSsoEnabled` of this device. */
  isEnabled: z.boolean(),
  /** Whether the hub offers it; also false when the hub cannot be read. */
  isAvailable: z.boolean(),
  /** The person who is signed in to the workspace. */
  email: z.nullable(address),
  /** Every application of the snapshot, each with its result. */
  apps: z.array(
    z.strictObject({
      id: appId,
      name: z.string().check(z.maxLength(60)),
      status: z.enum(['waiting', 'working', 'signed-in', 'failed', 'not-eligible']),
      reason: z.nullable(z.enum(desktopReasons)),
    }),
  ),
  reason: z.nullable(z.enum(desktopReasons)),
})
export type DesktopStatus = z.infer<typeof desktopStatusSchema>

/** The broker's response to a command. */
export const desktopAnswerSchema = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), status: desktopStatusSchema }),
  z.strictObject({ ok: z.literal(false), code: z.enum(['unknown-command', 'switched-off', 'busy', 'failed']) }),
])
export type DesktopAnswer = z.infer<typeof desktopAnswerSchema>

/** An application that the hub signs people in to, as reported to a desktop application. */
export const desktopHubAppSchema = z.strictObject({
  appId,
  clientId: z.string().check(z.minLength(1), z.maxLength(128)),
  origin: z.string().check(z.maxLength(300)),
  callbackUrl: z.string().check(z.maxLength(2048)),
  /** Declared in the hub's own code instead of its registry. */
  isCanonical: z.boolean(),
})

/** The response of `GET /_fw/desktop/availability`; both parts describe the application that receives the request. */
export const desktopAvailabilitySchema = z.object({
  /** Whether it is a hub that offers desktop sign-in now. */
  available: z.boolean(),
  /** How it signs people in through a hub; null where it does not. */
  client: z.nullable(z.object({ hubUrl: z.string(), appId, clientId: z.string(), callbackUrl: z.string() })),
})

/** The response of `POST /_fw/desktop/ceremonies`. */
export const desktopCeremonySchema = z.object({
  id: z.string(),
  /** The address that the window opens. */
  url: z.string(),
  /** The exact address that completes it, with the nonce. */
  completionUrl: z.string(),
  expiresAt: z.string(),
})

/** The response of `POST /_fw/desktop/ceremonies/{id}/exchange`: the person, and the snapshot of applications. */
export const desktopExchangeSchema = z.object({ email: address, apps: z.array(desktopHubAppSchema) })
