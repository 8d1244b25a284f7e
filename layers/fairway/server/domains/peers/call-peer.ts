import { bodyLimits } from '#fairway/server/kernel/limits/limits'
import type { App } from '#fairway/server/kernel/app-context'
import { inSpan, countMetric } from '#fairway/server/kernel/events/metrics'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { readLimited } from '#fairway/server/kernel/http/fetch-json'
import { isLoopbackHost } from '#fairway/shared/loopback'
import { A2A_PATH } from '#fairway/shared/paths'
import type { Session } from '#fairway/shared/schemas/session'
import { type PeerAnswer, readPeerAnswer } from './peer-answer'
import { signPeerToken } from './peer-token'

const LIMIT_IN_MS = 30_000
interface PeerCall {
  /** The application's name in `FW_PEERS`. */
  peer: string
  body: { action: string; input: object } | { approval: string }
  /** Who calls; without a confirmed address this application speaks for itself alone. */
  session: Session | null
  signal: AbortSignal
  /** How long all of it may take. */
  limitInMs?: number
}

/**
 * Asks another application once, with a fresh token, and gives its result. Throws `unknown-peer`, `a2a-not-configured` (before
 * anything is sent), `peer-unavailable`, `peer-refused` and `approval-required`.
 */
export async function callPeer(app: App, call: PeerCall): Promise<unknown> {
  const { peer } = call
  const origin = originOf(app, peer)
  const count = (outcome: string) =>
    countMetric(app, 'fairway_peer_calls_total', 'Calls of other applications by outcome.', { peer, outcome })
  try {
    const result = await inSpan(`peer ${peer}`, { 'fairway.peer': peer }, async () =>
      readPeerAnswer({ peer, origin }, await send(app, origin, call)),
    )
    count('ok')
    return result
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    count(error.code)
    const fields = { peer, code: error.code, peerCode: error.extra?.peerCode, reason: reasonOf(error.cause) }
    if (error.code !== 'approval-required') app.log.warn('a call of another application failed', fields)
    throw error
  }
}

function originOf({ config }: App, peer: string): string {
  const origin = config.identity.peers.get(peer)
  if (origin) return origin
  const peers = [...config.identity.peers.keys()]
  throw new AppError('unknown-peer', { detail: 'FW_PEERS names the applications.', extra: { peer, peers } })
}

async function send(app: App, origin: string, call: PeerCall): Promise<PeerAnswer> {
  const { peer, session, signal, limitInMs = LIMIT_IN_MS } = call
  const body = JSON.stringify(call.body)
  const headers = { accept: 'application/json', 'content-type': 'application/json', 'user-agent': 'Fairway' }
  const credential = await credentialFor(app, origin, session)
  try {
    const answer = await app.fetch(origin + A2A_PATH, {
      method: 'POST',
      headers: { ...headers, ...credential },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(limitInMs)]),
    })
    const mediaType = answer.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
    return { status: answer.status, mediaType, text: await readLimited(answer, bodyLimits.peerAnswer) }
  } catch (cause) {
    throw new AppError('peer-unavailable', { extra: { peer }, cause })
  }
}

async function credentialFor(app: App, origin: string, session: Session | null): Promise<Record<string, string>> {
  const { identity, environment } = app.config
  if (!identity.shared) {
    if (environment === 'development' && isLoopbackHost(new URL(origin).hostname)) return {}
    throw new AppError('a2a-not-configured', { cause: 'A2A_SECRET is not set, so nothing was sent' })
  }
  const email = session?.emailVerified ? session.email : undefined
  const token = await signPeerToken(app, {
    type: 'a2a+jwt',
    audience: origin,
    subject: email ?? `app:${identity.appId}`,
    claims: { app: identity.appId, ...(email ? { email } : {}) },
  })
  return { authorization: `Bearer ${token}` }
}

// A message of the network may quote what was sent, but not these two.
const reasonOf = (cause: unknown): string | undefined => (cause instanceof Error ? cause.name : cause?.toString())
