// The page where a person types the code of a device. Behind the code is the consent page.
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit, refundRateLimit } from '#fairway/server/kernel/limits/rate-limit'
import { recordSecurityEvent } from '#fairway/server/kernel/security-events/record-security-event'
import { DEVICE_PATH } from '#fairway/shared/paths'
import { mcpUrl } from '../access-token'
import type { PageAnswer } from '../authorization-endpoint'
import { type AuthorizeRequest, findClient, requestedScopes } from '../authorize/authorize-request'
import { askPerson } from '../authorize/consent'
import { signInFirst } from '../authorize/consent-ticket'
import type { AuthorizeVisit } from '../authorize/consent-visit'
import { noteClientUse } from '../clients/registration'
import { deviceQuery, type DeviceRequest, findDeviceRequest, parseUserCode } from './device-codes'
import { codePage } from './device-page'

/** Returns the visit of the page with this code. Its query has one spelling, however the person typed it. */
export const atDevicePage = (visit: AuthorizeVisit): AuthorizeVisit & { path: string; userCode: string | null } => {
  const userCode = parseUserCode(new URLSearchParams(visit.query).get('user_code') ?? '')
  return { ...visit, path: DEVICE_PATH, query: userCode === null ? '' : deviceQuery(userCode), userCode }
}

/**
 * Shows the field for a code, or the consent page of the request with that code. Leads signed-out people through the sign-in page
 * and back, before any code is looked up. Throws `rate-limited`.
 */
export async function showDevice(app: App, visitAnywhere: AuthorizeVisit): Promise<PageAnswer> {
  const isTyped = new URLSearchParams(visitAnywhere.query).has('user_code')
  const visit = atDevicePage(visitAnywhere)
  const { session, path, query, userCode, language } = visit
  if (!session) return { location: await signInFirst(app, { path, query }) }
  const device = userCode === null ? undefined : await findLimited(app, visit, userCode)
  if (!device) return { page: await codePage(app, isTyped, language), status: isTyped ? 400 : 200 }
  const request = await toRequest(app, device, addressKey(visit.clientAddress))
  if (request.client.source === 'registered') await noteClientUse(app, request.client.id)
  return askPerson(app, { ...visit, session }, request)
}

async function toRequest(app: App, device: DeviceRequest, network: string): Promise<AuthorizeRequest> {
  const client = await findClient(app, device.clientId, network)
  const nowhere = { redirectUri: '', state: undefined, codeChallenge: '', prompts: new Set<string>() }
  return { ...nowhere, client, ...requestedScopes(device.scope), resource: mcpUrl(app.config), device }
}

/** Wrong codes count for the network and for the whole installation, because one stranger may use many networks (RFC 8628 §5.1). */
async function findLimited(app: App, visit: AuthorizeVisit, userCode: string): Promise<DeviceRequest | undefined> {
  const counts = [
    [limits.deviceGuessesPerAddress, addressKey(visit.clientAddress)],
    [limits.deviceGuesses, 'all'],
  ] as const
  try {
    for (const [limit, subject] of counts) await rateLimit(app, limit, subject)
  } catch (error) {
    if (error instanceof AppError && error.code === 'rate-limited') await tellOperators(app, visit)
    throw error
  }
  const device = await findDeviceRequest(app, userCode)
  if (device) await Promise.all(counts.map(([limit, subject]) => refundRateLimit(app, limit, subject)))
  return device
}

const tellOperators = (app: App, { clientAddress, session, requestId }: AuthorizeVisit): Promise<void> =>
  recordSecurityEvent(app, {
    kind: 'device-codes-limited',
    reason: 'too many wrong codes of devices',
    clientAddress,
    userId: session?.userId,
    requestId,
    quietForInMs: 10 * 60_000,
  })
