import { z } from 'zod'
import { bodyLimits } from '#fairway/server/kernel/limits/limits'
import type { App } from '#fairway/server/kernel/app-context'
import { inSpan, countMetric } from '#fairway/server/kernel/events/metrics'
import { AppError, PROBLEM_MEDIA_TYPE } from '#fairway/server/kernel/http/app-error'
import { readLimited } from '#fairway/server/kernel/http/fetch-json'
import { isLoopbackHost } from '#fairway/shared/loopback'
import { A2A_PATH, A2A_APPROVALS_PATH } from '#fairway/shared/paths'
import type { Session } from '#fairway/shared/schemas/session'
import { jsonOf } from '#fairway/server/kernel/declaration'
import { problemSchema } from '#fairway/shared/schemas/problem'
import { signPeerToken } from './peer-token'

const LIMIT_IN_MS = 30_000
interface PeerCall {
  /** The application's name in `FW_PEERS`. */
  peer: string
  body: { action: string; input: object } | { approval: string }
  /** The caller. Without a confirmed address, the application calls on its own behalf only. */
  session: Session | null
  signal: AbortSignal
  /** The time limit for the whole call. */
  limitInMs?: number
}

/**
 * Calls another application once, with a fresh token, and returns its result. Throws `unknown-peer`, `a2a-not-configured`
 * (before the request is sent), `peer-unavailable`, `peer-refused` and `approval-required`.
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
    throw unavailable({ peer }, cause)
  }
}

async function credentialFor(app: App, origin: string, session: Session | null): Promise<Record<string, string>> {
  const { identity, environment } = app.config
  if (!identity.shared) {
    if (environment === 'development' && isLoopbackHost(new URL(origin).hostname)) return {}
    throw new AppError('a2a-not-configured', { cause: 'A2A_SECRET is not set, so nothing was sent' })
  }
  // A service account is not its owner of record: it calls as the application.
  const email = session?.emailVerified && !session.serviceAccount ? session.email : undefined
  const token = await signPeerToken(app, {
    type: 'a2a+jwt',
    audience: origin,
    subject: email ?? `app:${identity.appId}`,
    claims: { app: identity.appId, ...(email ? { email } : {}) },
  })
  return { authorization: `Bearer ${token}` }
}

// A network error's message may quote the request, so only its name is logged. Causes that are text are our own.
const reasonOf = (cause: unknown): string | undefined => (cause instanceof Error ? cause.name : cause?.toString())

/** The response of another application, read to its end. */
interface PeerAnswer {
  status: number
  /** Without parameters, in lower case. */
  mediaType: string
  text: string
}

interface AnsweringPeer {
  peer: string
  origin: string
}

const MOST_CHARACTERS = 300

const resultSchema = z.looseObject({ result: z.unknown().refine(value => value !== undefined) })
const approvalSchema = z.object({
  approval: z.object({ id: z.string().min(16).max(200), url: z.string().max(2048), expiresAt: z.iso.datetime() }),
})

/**
 * Returns the result of a response. Throws `approval-required`, `peer-refused` or `peer-unavailable` for every other response.
 */
function readPeerAnswer(from: AnsweringPeer, answer: PeerAnswer): unknown {
  const { status } = answer
  const body = bodyOf(answer)
  if (status === 200) {
    const parsed = resultSchema.safeParse(body)
    if (parsed.success) return parsed.data.result
  }
  if (status === 202) throw approvalRequired(from, body)
  const problem = problemSchema.safeParse(body)
  if (status >= 400 && problem.success) throw refusal(from, status, problem.data)
  throw unavailable(from, `it answered ${status} with something else than we speak`)
}

const bodyOf = ({ mediaType, text }: PeerAnswer): unknown =>
  mediaType === 'application/json' || mediaType === PROBLEM_MEDIA_TYPE ? jsonOf(text) : undefined

// The user may be sent only to an approval page of the called application.
function approvalRequired({ peer, origin }: AnsweringPeer, body: unknown): AppError {
  const parsed = approvalSchema.safeParse(body)
  const { id, url, expiresAt } = parsed.data?.approval ?? {}
  const page = url && URL.canParse(url) ? new URL(url) : undefined
  if (page?.origin !== origin || !page.pathname.startsWith(`${A2A_APPROVALS_PATH}/`)) {
    return unavailable({ peer }, 'it asks for an approval somewhere else')
  }
  const detail = `Decide at ${page.href}`
  return new AppError('approval-required', { detail, extra: { peer, url: page.href, approvalId: id, expiresAt } })
}

/** After a status of 500 or above, the other application may have changed something, so the error is `peer-unavailable`. */
function refusal(
  { peer }: AnsweringPeer,
  status: number,
  { code, title, detail, errors }: z.infer<typeof problemSchema>,
): AppError {
  const extra = { peer, peerCode: code.slice(0, MOST_CHARACTERS) }
  if (status >= 500) return new AppError('peer-unavailable', { extra, cause: `it answered ${status}` })
  return new AppError('peer-refused', { detail: (detail ?? title).slice(0, MOST_CHARACTERS), errors, extra })
}

const unavailable = ({ peer }: Pick<AnsweringPeer, 'peer'>, cause: unknown): AppError =>
  new AppError('peer-unavailable', { extra: { peer }, cause })

/** Calls from an author's code to other applications, by their names in `FW_PEERS`, on behalf of the author's caller. */
export interface ContextPeers {
  /**
   * The result of another application's action. Throws `approval-required` with `{ url, approvalId }` when the person must
   * approve it there first, `peer-refused` with the other application's code, and `peer-unavailable`. Calls are never retried.
   */
  call(peer: string, action: string, input?: object): Promise<unknown>
  /** The same, validated against a schema. */
  call<Output extends z.ZodType>(
    peer: string,
    action: string,
    input: object,
    options: { output: Output },
  ): Promise<z.output<Output>>
  /** The result of a call that required approval. Throws `approval-required` until the user has decided. */
  result(peer: string, approvalId: string): Promise<unknown>
  /** The same, validated against a schema. */
  result<Output extends z.ZodType>(
    peer: string,
    approvalId: string,
    options: { output: Output },
  ): Promise<z.output<Output>>
}

interface CallOptions {
  output?: z.ZodType
}

/** The applications that this session can call. The signal aborts every call. */
export const contextPeers = (app: App, session: Session | null, signal: AbortSignal): ContextPeers => ({
  async call(peer: string, action: string, input: object = {}, { output }: CallOptions = {}) {
    return checked(peer, await callPeer(app, { peer, body: { action, input }, session, signal }), output)
  },
  async result(peer: string, approval: string, { output }: CallOptions = {}) {
    return checked(peer, await callPeer(app, { peer, body: { approval }, session, signal }), output)
  },
})

function checked(peer: string, answer: unknown, output: z.ZodType = z.unknown()) {
  const parsed = output.safeParse(answer)
  if (parsed.success) return parsed.data
  throw unavailable({ peer }, `the answer of ${peer} does not fit: ${z.prettifyError(parsed.error)}`)
}
