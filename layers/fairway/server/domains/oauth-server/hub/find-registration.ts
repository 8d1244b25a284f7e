import { IDENTITY_CALLBACK_PATH, type HubConfig } from '#fairway/server/kernel/config/identity-config'
import { APP_ID, type HubApp } from '#fairway/server/kernel/config/identity-registry'
import { isLoopbackHost } from '#fairway/shared/loopback'
import type { RegistrationDifference } from './registration-answer'

/** What an application says of itself when it sends somebody to the hub. */
export interface AppClaim {
  appId: string
  clientId: string
  redirectUri: string
}

/** In what an application differs from its registration; empty when it is registered exactly so. */
export function registrationDifferences(hub: HubConfig, claim: AppClaim): RegistrationDifference[] {
  const address = exactAddress(claim.redirectUri)
  if (address && isLocalApp(hub, claim, address)) return []
  const [nearest] = hub.apps
    .filter(({ appId }) => appId === claim.appId)
    .map(app => differencesFrom(app, claim, address))
    .toSorted((one, other) => one.length - other.length)
  return nearest ?? [unknownApp(hub, claim)]
}

/** Whether the application is registered exactly as it says. */
export const isRegistered = (hub: HubConfig, claim: AppClaim): boolean =>
  registrationDifferences(hub, claim).length === 0

interface Address {
  origin: string
  path: string
}

/** The two halves of an address that is spelled in the one way there is; undefined for a query, a fragment, a user name, another case. */
function exactAddress(uri: string): Address | undefined {
  if (!URL.canParse(uri)) return undefined
  const { origin, pathname, protocol } = new URL(uri)
  const isWeb = protocol === 'https:' || protocol === 'http:'
  return isWeb && origin + pathname === uri ? { origin, path: pathname } : undefined
}

/** In development everything on this machine may come, under its own name. */
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
  const differences: RegistrationDifference[] = []
  if (app.clientId !== claim.clientId) {
    differences.push({ field: 'client_id', registered: app.clientId, sent: claim.clientId })
  }
  if (!address) {
    return [
      ...differences,
      { field: 'redirect_uri', registered: app.origin + app.callbackPath, sent: claim.redirectUri },
    ]
  }
  if (!isOriginOf(app, address)) differences.push({ field: 'origin', registered: app.origin, sent: address.origin })
  if (app.callbackPath !== address.path) {
    differences.push({ field: 'callback_path', registered: app.callbackPath, sent: address.path })
  }
  return differences
}

// Programs on this machine listen where there is room: http on loopback without a port stands for any (RFC 8252 §7.3).
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
