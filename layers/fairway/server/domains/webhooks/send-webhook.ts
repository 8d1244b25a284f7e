// One attempt of one delivery: signed according to Standard Webhooks 1.0 (https://www.standardwebhooks.com), sent only to
// public addresses.
import type { App } from '#fairway/server/kernel/app-context'
import { unseal, UnsealError } from '#fairway/server/kernel/crypto/seal'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { networkReason } from '#fairway/server/kernel/http/fetch-json'
import { GuardedFetchError } from '#fairway/server/kernel/http/guarded-fetch'
import { guardedFetchOf } from '#fairway/server/kernel/http/outside-fetch'
import { isLoopbackHost } from '#fairway/shared/loopback'
import type { DeliveryFault } from '#fairway/shared/schemas/webhook'
import type { webhooks } from './tables'

/** The purpose of the key that seals secrets. */
export const SECRET_PURPOSE = 'webhook-secret'
/** The time limit for the whole request and response. */
export const SEND_LIMIT_IN_MS = 15_000
const MOST_BYTES_READ = 4096
const MOST_CHARACTERS_KEPT = 500
const LONGEST_ADDRESS = 2000

type WebhookRow = typeof webhooks.$inferSelect

export interface Message {
  id: string
  body: string
}

/** The result of an attempt: a response, or the reason why there is none. */
export type Attempt = {
  /** Null when no server was reached: the time would reveal which names exist inside our network. */
  durationInMs: number | null
} & ({ status: number; answer: string; retryAfterInMs: number | undefined } | { fault: DeliveryFault })

/**
 * Throws `invalid-input` with the next step for an address that webhooks must not use. `isOperator` refers to the person who
 * enters it.
 */
export function checkAddress(app: App, text: string, isOperator: boolean): void {
  const fault = addressFault(app, text, isOperator)
  if (fault) throw new AppError('invalid-input', { errors: [{ path: 'url', message: fault }] })
}

function addressFault(app: App, text: string, isOperator: boolean): string | undefined {
  if (text.length > LONGEST_ADDRESS) return `It may have ${LONGEST_ADDRESS} characters at most.`
  if (!URL.canParse(text)) return 'It is not an address. Begin with https://.'
  const url = new URL(text)
  if (url.username || url.password)
    return 'It holds a user name or password. Put a token into its path or query instead.'
  if (url.hash) return 'It has a fragment, which is never sent. Leave out what follows the #.'
  if (mayReachInside(app, url, isOperator)) return undefined
  if (url.protocol !== 'https:' || url.port !== '')
    return 'Use an https address without a port. Operators can name others with FW_WEBHOOK_ORIGINS.'
  return undefined
}

/** Whether an address is in `FW_WEBHOOK_ORIGINS`, which only operators may use. */
export const isInside = ({ config }: App, { url }: Pick<WebhookRow, 'url'>): boolean =>
  config.webhookOrigins.includes(new URL(url).origin)

// With open sign-up, any account could otherwise post to machines behind the firewall. In development, this machine is allowed.
const mayReachInside = (app: App, { href, protocol, hostname }: URL, isOperator: boolean): boolean =>
  (isOperator && isInside(app, { url: href })) ||
  (app.config.environment === 'development' && /^https?:$/.test(protocol) && isLoopbackHost(hostname))

interface Sending {
  message: Message
  /** Whether an operator is responsible for the webhook. All others reach only public addresses. */
  isOperator: boolean
}

/** Sends one message once. Never throws: errors are part of the attempt. */
export async function sendWebhook(app: App, webhook: WebhookRow, { message, isOperator }: Sending): Promise<Attempt> {
  const began = performance.now()
  const took = () => Math.round(performance.now() - began)
  try {
    const headers = await signedHeaders(app, webhook, message)
    const isDirect = mayReachInside(app, new URL(webhook.url), isOperator)
    const answer = await (isDirect ? postInside : postOutside)(app, webhook.url, headers, message.body)
    return { durationInMs: took(), ...answer }
  } catch (error) {
    const fault = faultOf(error)
    // The cause of a failed `fetch` may quote the address, which can hold a token. Other messages are ours.
    const reason = error instanceof TypeError || !(error instanceof Error) ? networkReason(error) : error.message
    app.log.info('a webhook was not delivered', { webhookId: webhook.id, fault, reason })
    return { durationInMs: fault === 'unreachable' ? null : took(), fault }
  }
}

// One fault for an unknown name, a private host and a refused connection: more detail would describe our network.
function faultOf(error: unknown): DeliveryFault {
  if (error instanceof UnsealError) return 'secret'
  const isTimeout =
    error instanceof GuardedFetchError
      ? error.outage === 'timeout' || error.message === GUARDED_TIMEOUT
      : error instanceof Error && error.name === 'TimeoutError'
  return isTimeout ? 'timeout' : 'unreachable'
}

const GUARDED_TIMEOUT = 'it did not answer in time'

async function signedHeaders(app: App, webhook: WebhookRow, { id, body }: Message): Promise<Record<string, string>> {
  // Loaded with the first delivery: the server starts without it.
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

async function postOutside(app: App, url: string, headers: Record<string, string>, body: string): Promise<Answer> {
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

// Responses of other servers are shown as one line of text.
const excerpt = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MOST_CHARACTERS_KEPT)

/** `Retry-After` (RFC 9110, §10.2.3), seconds or a date, in milliseconds from now. Undefined for other values. */
function retryAfter(app: App, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1000
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - app.now().getTime())
}
