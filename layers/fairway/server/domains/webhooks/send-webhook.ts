// One try of one delivery: signed as Standard Webhooks 1.0 says it (https://www.standardwebhooks.com), sent to a public address alone.
import type { App } from '#fairway/server/kernel/app-context'
import { unseal, UnsealError } from '#fairway/server/kernel/crypto/seal'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { createGuardedFetch, type GuardedFetch, GuardedFetchError } from '#fairway/server/kernel/http/guarded-fetch'
import { isLoopbackHost } from '#fairway/shared/loopback'
import type { DeliveryFault } from '#fairway/shared/schemas/webhook'
import type { webhooks } from './tables'

/** What secrets are sealed for. */
export const SECRET_PURPOSE = 'webhook-secret'
/** How long an address may take for all of it. */
export const SEND_LIMIT_IN_MS = 15_000
const MOST_BYTES_READ = 4096
const MOST_CHARACTERS_KEPT = 500
const LONGEST_ADDRESS = 2000

type WebhookRow = typeof webhooks.$inferSelect

export interface Message {
  id: string
  body: string
}

/** What came of a try: an answer, or why there was none. */
export type Attempt = { durationInMs: number } & (
  | { status: number; answer: string; retryAfterInMs: number | undefined }
  | { fault: DeliveryFault }
)

/** Throws `invalid-input`, with what to do, for an address that nothing is sent to. */
export function checkAddress(app: App, text: string): void {
  const fault = addressFault(app, text)
  if (fault) throw new AppError('invalid-input', { errors: [{ path: 'url', message: fault }] })
}

function addressFault(app: App, text: string): string | undefined {
  if (text.length > LONGEST_ADDRESS) return `It may have ${LONGEST_ADDRESS} characters at most.`
  if (!URL.canParse(text)) return 'It is not an address. Begin with https://.'
  const url = new URL(text)
  if (url.username || url.password)
    return 'It holds a user name or password. Put a token into its path or query instead.'
  if (url.hash) return 'It has a fragment, which is never sent. Leave out what follows the #.'
  if (isAllowedOrigin(app, url)) return undefined
  if (url.protocol !== 'https:' || url.port !== '')
    return 'Use an https address without a port. Operators open others with FW_WEBHOOK_ORIGINS.'
  return undefined
}

// Operators name what inside of their network may be told; on a developer's machine that is the machine itself.
const isAllowedOrigin = ({ config }: App, { origin, protocol, hostname }: URL): boolean =>
  config.webhookOrigins.includes(origin) ||
  (config.environment === 'development' && /^https?:$/.test(protocol) && isLoopbackHost(hostname))

/** Sends one message once. Never throws: what went wrong is part of the attempt. */
export async function sendWebhook(app: App, webhook: WebhookRow, message: Message): Promise<Attempt> {
  const began = performance.now()
  const took = () => Math.round(performance.now() - began)
  try {
    const headers = await signedHeaders(app, webhook, message)
    const answer = await post(app, webhook.url, headers, message.body)
    return { durationInMs: took(), ...answer }
  } catch (error) {
    const fault = faultOf(error)
    app.log.info('a webhook was not delivered', { webhookId: webhook.id, fault })
    return { durationInMs: took(), fault }
  }
}

function faultOf(error: unknown): DeliveryFault {
  if (error instanceof UnsealError) return 'secret'
  if (error instanceof GuardedFetchError) {
    if (error.outage === 'timeout' || error.message === GUARDED_TIMEOUT) return 'timeout'
    return error.outage === null && error.cause === undefined ? 'address' : 'unreachable'
  }
  return error instanceof Error && error.name === 'TimeoutError' ? 'timeout' : 'unreachable'
}

const GUARDED_TIMEOUT = 'it did not answer in time'

async function signedHeaders(app: App, webhook: WebhookRow, { id, body }: Message): Promise<Record<string, string>> {
  // Loaded with the first delivery: starting the server does not need it.
  const { Webhook } = await import('standardwebhooks')
  const now = app.now()
  const isOverlap = webhook.formerSecret !== null && webhook.formerUntil !== null && webhook.formerUntil > now
  const sealed = [webhook.secret, ...(isOverlap && webhook.formerSecret ? [webhook.formerSecret] : [])]
  const signatures = sealed.map(text =>
    new Webhook(unseal(app.config.keys, SECRET_PURPOSE, text, webhook.id)).sign(id, now, body),
  )
  return {
    'content-type': 'application/json',
    'user-agent': 'Fairway-Webhooks',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  }
}

interface Answer {
  status: number
  answer: string
  retryAfterInMs: number | undefined
}

/** The transport to addresses that people name; a test gives the app one of its own before the first use. */
const guardedFetchOf = (app: App): GuardedFetch => app.memo('guarded-fetch', () => createGuardedFetch())

async function post(app: App, url: string, headers: Record<string, string>, body: string): Promise<Answer> {
  if (isAllowedOrigin(app, new URL(url))) return postInside(app, url, headers, body)
  const limits = { maxBytes: MOST_BYTES_READ, limitInMs: SEND_LIMIT_IN_MS }
  const answer = await guardedFetchOf(app)(url, { headers, body, readsBeginning: true, ...limits })
  return {
    status: answer.status,
    answer: excerpt(answer.text),
    retryAfterInMs: retryAfter(app, answer.header('retry-after')),
  }
}

async function postInside(app: App, url: string, headers: Record<string, string>, body: string): Promise<Answer> {
  const signal = AbortSignal.timeout(SEND_LIMIT_IN_MS)
  const answer = await app.fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' })
  const text = await beginningOf(answer)
  const retryAfterInMs = retryAfter(app, answer.headers.get('retry-after') ?? undefined)
  return { status: answer.status, answer: excerpt(text), retryAfterInMs }
}

async function beginningOf({ body }: Response): Promise<string> {
  if (!body) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= MOST_BYTES_READ) break
  }
  return Buffer.concat(chunks).subarray(0, MOST_BYTES_READ).toString('utf8')
}

// What a foreign server answers is shown as one line of text.
const excerpt = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MOST_CHARACTERS_KEPT)

/** `Retry-After` (RFC 9110, §10.2.3), seconds or a date, in milliseconds from now; undefined for what is neither. */
function retryAfter(app: App, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1000
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - app.now().getTime())
}
