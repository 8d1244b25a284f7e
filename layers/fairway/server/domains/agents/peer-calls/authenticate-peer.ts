import type { H3Event } from 'h3'
import { type PeerClaims, PeerTokenError, verifyPeerToken } from '#fairway/server/domains/peers'
import { type App, getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { DEV_EMAIL } from '#fairway/server/kernel/config/config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { readBearer, requestInfo } from '#fairway/server/kernel/http/request-info'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { ownMachineFault } from '#fairway/server/kernel/http/own-machine'
import { checkOrgOpens } from '#fairway/server/domains/organizations'
import { actAs, sessionOfActing } from '#fairway/server/domains/sessions'
import { claimedEmailSchema } from '#fairway/shared/schemas/email'
import type { Session } from '#fairway/shared/schemas/session'
import { rateLimit } from '../../../kernel/limits/rate-limit'
import { limits } from '../../../kernel/limits/limits'
import { recordSecurityEvent } from '../../../kernel/security-events/record-security-event'

/** The calling application, and the person that it acts for. */
export interface CallingPeer {
  /** Its origin, or a placeholder for unsigned calls. */
  caller: string
  /** The address of the person it acts for, in lower case; null when it acts for itself. */
  email: string | null
  /** True in development without a secret. The person that it acts for does not have to exist. */
  isUnsigned: boolean
}

const UNSIGNED = 'a program on this machine'

/**
 * Authenticates the calling application by its token alone. Throws `cross-origin` for pages, `a2a-not-configured` when nothing
 * can be verified, `peer-unauthenticated` for every token that is not accepted, `unknown-peer` for applications that are not
 * configured, and `unknown-person` for a token that names no address.
 */
export async function authenticatePeer(event: H3Event): Promise<CallingPeer> {
  const app = getApp(event)
  checkNoPage(event)
  if (!app.config.identity.shared) return unsignedPeer(event)
  try {
    const token = readBearer(event.node.req)
    if (!token) throw new PeerTokenError('there is none')
    const claims = await verifyPeerToken(app, token, { type: 'a2a+jwt', audience: app.config.baseUrl })
    const email = emailOf(claims)
    if (isKnown(app, claims.iss)) return { caller: claims.iss, email, isUnsigned: false }
    // The client has the secret but is not configured.
    await noteRefusal(event, 'it is not one of FW_PEERS', claims.iss.slice(0, 200))
    throw new AppError('unknown-peer')
  } catch (error) {
    if (!(error instanceof PeerTokenError)) throw error
    await noteRefusal(event, error.message)
    throw unauthenticated()
  }
}

/** Applications call without a browser, so calls from pages of any site are refused, with or without cookies. */
function checkNoPage({ node: { req: request }, context }: H3Event): void {
  const { origin, 'sec-fetch-site': site } = request.headers
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new AppError('cross-origin')
  if (origin !== undefined && origin !== context.app?.config.baseUrl) throw new AppError('cross-origin')
}

// Unsigned calls require the development account. It is switched off when the development server listens beyond this machine.
function unsignedPeer(event: H3Event): CallingPeer {
  const { config } = getApp(event)
  if (config.devAccount === 'off' || ownMachineFault(event.node.req, config) !== undefined)
    throw new AppError('a2a-not-configured')
  // A client that signs expects to be verified.
  if (readBearer(event.node.req) !== undefined) throw unauthenticated()
  return { caller: UNSIGNED, email: DEV_EMAIL, isUnsigned: true }
}

/**
 * The address of the person that a token acts for. Other claims about the person (role, organization, id) are ignored. Throws
 * `unknown-person` for something that is no address.
 */
function emailOf({ sub, email, email_verified: isVerified }: PeerClaims): string | null {
  if (email !== undefined && typeof email !== 'string') throw new PeerTokenError('its address is not a text')
  if (sub.startsWith('app:')) {
    if (email === undefined) return null
    throw new PeerTokenError('it acts for an application and for a person')
  }
  if (isVerified !== undefined && isVerified !== true) throw new PeerTokenError('its address is not confirmed')
  const { data: address } = claimedEmailSchema.safeParse(email ?? sub)
  if (address === undefined) throw new AppError('unknown-person')
  if (email !== undefined && sub.includes('@') && claimedEmailSchema.safeParse(sub).data !== address) {
    throw new PeerTokenError('it names two people')
  }
  return address
}

function isKnown({ config }: App, issuer: string): boolean {
  const origins = [...config.identity.peers.values()]
  return origins.length === 0 || origins.includes(issuer)
}

async function noteRefusal(event: H3Event, reason: string, subject?: string): Promise<void> {
  const app = getApp(event)
  const { clientAddress } = requestInfo(event)
  await rateLimit(app, limits.a2aRefusalsPerAddress, addressKey(clientAddress))
  const requestId = getRequestId(event)
  await recordSecurityEvent(app, { kind: 'peer-refused', reason, subject, clientAddress, requestId })
}

const unauthenticated = (): AppError =>
  new AppError('peer-unauthenticated', { headers: { 'www-authenticate': 'Bearer' } })

/**
 * The person of a call of another application: the one with this confirmed address, in their active organization or in the
 * organization of the question. Null when there is no such person, or they left the organization or have no access here. Throws
 * `provider-required` when that organization requires a provider, because a call of another application is not a sign-in.
 */
export async function findCalledPerson(
  app: App,
  who: { email: string } | { userId: string; orgId: string | null },
): Promise<Session | null> {
  const proof = { provider: 'a2a', ...('orgId' in who ? { orgId: who.orgId } : {}) }
  const session = sessionOfActing(await actAs(app, { ...who, mustBeConfirmed: true }, proof))
  checkOrgOpens(session)
  return session
}
