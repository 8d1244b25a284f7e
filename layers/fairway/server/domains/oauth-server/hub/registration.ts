import { z } from 'zod'
import { PeerTokenError, signPeerToken, verifyPeerToken } from '#fairway/server/domains/peers'
import type { App } from '#fairway/server/kernel/app-context'
import { type HubConfig, IDENTITY_CALLBACK_PATH } from '#fairway/server/kernel/config/identity-config'
import { APP_ID, type HubApp } from '#fairway/server/kernel/config/identity-registry'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit } from '#fairway/server/kernel/limits/rate-limit'
import { isLoopbackHost } from '#fairway/shared/loopback'

/** Whether other applications can sign people in through this one. */
export const isIdentityHub = ({ config }: App): boolean => config.identity.hub !== undefined

/** Returns the applications of this hub; throws `not-found` when this is not a hub. */
export function requireHub({ config }: App): HubConfig {
  if (!config.identity.hub) throw new AppError('not-found')
  return config.identity.hub
}

/** The identity that an application claims when it sends a browser to the hub. */
export interface AppClaim {
  appId: string
  clientId: string
  redirectUri: string
}

/** Returns how an application differs from its registration; empty when it matches exactly. */
export function registrationDifferences(hub: HubConfig, claim: AppClaim): RegistrationDifference[] {
  const address = exactAddress(claim.redirectUri)
  if (address && isLocalApp(hub, claim, address)) return []
  const [nearest] = hub.apps
    .filter(({ appId }) => appId === claim.appId)
    .map(app => differencesFrom(app, claim, address))
    .toSorted((one, other) => one.length - other.length)
  return nearest ?? [unknownApp(hub, claim)]
}

interface Address {
  origin: string
  path: string
}

/** Splits an address in its normal form. Returns undefined for one with a query, a fragment, a user name or upper case. */
function exactAddress(uri: string): Address | undefined {
  if (!URL.canParse(uri)) return undefined
  const { origin, pathname, protocol } = new URL(uri)
  const isWeb = protocol === 'https:' || protocol === 'http:'
  return isWeb && origin + pathname === uri ? { origin, path: pathname } : undefined
}

/** In development, every application on this machine is accepted under its own name. */
const isLocalApp = (
  { acceptsLoopback }: HubConfig,
  { appId, clientId }: AppClaim,
  { origin, path }: Address,
): boolean =>
  acceptsLoopback &&
  APP_ID.test(appId) &&
  clientId === appId &&
  path === IDENTITY_CALLBACK_PATH &&
  isLoopbackHost(new URL(origin).hostname)

function differencesFrom(app: HubApp, claim: AppClaim, address: Address | undefined): RegistrationDifference[] {
  const { clientId, origin, callbackPath } = app
  type Field = RegistrationDifference['field']
  const differs = (field: Field, registered: string, sent: string, isSame = registered === sent) =>
    isSame ? [] : [{ field, registered, sent }]
  const inClient = differs('client_id', clientId, claim.clientId)
  if (!address) return [...inClient, ...differs('redirect_uri', origin + callbackPath, claim.redirectUri, false)]
  return [
    ...inClient,
    ...differs('origin', origin, address.origin, isOriginOf(app, address)),
    ...differs('callback_path', callbackPath, address.path),
  ]
}

// Programs on this machine use any free port, so http on loopback without a port matches every port (RFC 8252 §7.3).
function isOriginOf(app: HubApp, { origin }: Address): boolean {
  if (app.origin === origin) return true
  const registered = new URL(app.origin)
  const isAnyPort = registered.protocol === 'http:' && registered.port === '' && isLoopbackHost(registered.hostname)
  return isAnyPort && `http://${new URL(origin).hostname}` === app.origin && origin.startsWith('http:')
}

function unknownApp({ ignored }: HubConfig, { appId }: AppClaim): RegistrationDifference {
  const fault = ignored.get(appId)
  if (fault === undefined) return { field: 'app', registered: null, sent: appId }
  return { field: fault.startsWith('capabilities') ? 'capability' : 'app', registered: null, sent: appId, fault }
}

/** The subject of a token that only proves that hub and application share the secret. It is not a person. */
export const REGISTRATION_SUBJECT = 'identity-registration'

interface RegistrationRequest extends AppClaim {
  /** The bearer token of the requesting application. */
  token: string | undefined
  clientAddress: string
}

/**
 * Checks for an application with the shared secret whether its claim matches the hub's registration. The result contains a signed
 * proof. Throws `unauthenticated` without a valid token, and `rate-limited`.
 */
export async function checkRegistration(
  app: App,
  hub: HubConfig,
  registration: RegistrationRequest,
): Promise<RegistrationAnswer> {
  await rateLimit(app, limits.identityChecksPerAddress, addressKey(registration.clientAddress))
  const issuer = await issuerOf(app, registration.token)
  const differences = registrationDifferences(hub, registration)
  return {
    registered: differences.length === 0,
    ...(differences.length === 0 ? {} : { reason: differences.map(describeDifference).join('; ') }),
    differences,
    proof: await signPeerToken(app, { type: 'a2a+jwt', audience: issuer, subject: REGISTRATION_SUBJECT }),
  }
}

async function issuerOf(app: App, token: string | undefined): Promise<string> {
  if (!token) throw new AppError('unauthenticated')
  try {
    return (await verifyPeerToken(app, token, { type: 'a2a+jwt', audience: app.config.baseUrl })).iss
  } catch (error) {
    if (!(error instanceof PeerTokenError)) throw error
    app.log.warn('a check of the registration was refused', { reason: error.message })
    throw new AppError('unauthenticated', { cause: error })
  }
}

const differenceSchema = z.object({
  field: z.enum(['app', 'client_id', 'origin', 'callback_path', 'redirect_uri', 'capability']),
  /** The hub's value; null when it has none. */
  registered: z.string().nullable(),
  /** The application's value. */
  sent: z.string(),
  /** Why the hub ignores the entry of this application. */
  fault: z.string().optional(),
})

/** One difference between an application's claim and its registration at the hub. */
export type RegistrationDifference = z.output<typeof differenceSchema>

/** The hub's response to an application about its registration. */
export const registrationAnswerSchema = z.object({
  registered: z.boolean(),
  /** The differences, in words. */
  reason: z.string().optional(),
  differences: z.array(differenceSchema),
  /** A token from the hub for the requesting application. It proves that the hub has the same secret. */
  proof: z.string().max(4096),
})
type RegistrationAnswer = z.output<typeof registrationAnswerSchema>

const names: Record<RegistrationDifference['field'], string> = {
  app: 'application id',
  client_id: 'client id',
  origin: 'origin',
  callback_path: 'callback path',
  redirect_uri: 'redirect address',
  capability: 'capability',
}

/** A difference as a sentence without a full stop. */
export function describeDifference({ field, registered, sent, fault }: RegistrationDifference): string {
  if (fault !== undefined) return `the hub ignores its entry for ${sent}: ${fault}`
  if (registered === null) return `the ${names[field]} ${sent} is not registered`
  return `the ${names[field]} is ${sent}, and ${registered} is registered`
}
