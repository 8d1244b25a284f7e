import { z } from 'zod'
import type { desktopReasons } from 'nuxt-fairway/desktop-wire'
import type { DesktopHost, HostAnswer, HostRequest } from './host'

/** The timeout of each request. */
const REQUEST_LIMIT_IN_MS = 10_000

interface AskInput extends Omit<HostRequest, 'signal'> {
  partition: string
  /** Cancels the request early, as stale; without a signal the request runs to its end. */
  signal?: AbortSignal
  limitInMs?: number
}

/**
 * Sends one request through the host, with a timeout that does not depend on the host. Throws `DesktopError` (`timed-out`,
 * `unreachable`), and `StaleWork` when its signal is aborted.
 */
export async function ask(host: DesktopHost, input: AskInput): Promise<HostAnswer> {
  const { partition, signal, limitInMs = REQUEST_LIMIT_IN_MS, ...request } = input
  if (signal?.aborted) throw new StaleWork()
  const controller = new AbortController()
  const { promise: ended, reject: end } = Promise.withResolvers<never>()
  const stop = (error: Error) => {
    end(error)
    controller.abort()
  }
  const onStale = () => stop(new StaleWork())
  signal?.addEventListener('abort', onStale)
  const cancel = host.after(limitInMs, () => stop(new DesktopError('timed-out')))
  try {
    return await Promise.race([ended, send(host, partition, { ...request, signal: controller.signal })])
  } finally {
    cancel()
    signal?.removeEventListener('abort', onStale)
  }
}

async function send(host: DesktopHost, partition: string, request: HostRequest): Promise<HostAnswer> {
  try {
    return await host.request(partition, request)
  } catch {
    throw new DesktopError('unreachable')
  }
}

/** Returns the response to a request as JSON of this schema; throws `DesktopError`. */
export async function askJson<T>(host: DesktopHost, input: AskInput, schema: z.core.$ZodType<T>): Promise<T> {
  return parseAnswer(await ask(host, input), schema)
}

/** Returns a response as JSON of this schema; throws `DesktopError` for every other response. */
export function parseAnswer<T>(answer: HostAnswer, schema: z.core.$ZodType<T>): T {
  checkStatus(answer)
  const parsed = z.safeParse(schema, jsonOf(answer.body))
  if (!parsed.success) throw new DesktopError('refused')
  return parsed.data
}

/** Throws `DesktopError` for an unsuccessful response: `unreachable` where a later attempt may help. */
export function checkStatus({ status }: HostAnswer): void {
  if (status >= 500 || status === 429) throw new DesktopError('unreachable')
  if (status < 200 || status >= 300) throw new DesktopError('refused')
}

/** Parses a text as JSON; undefined for invalid JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A reason that pages have a text for. */
export type DesktopReason = (typeof desktopReasons)[number]

/** The reason why part of a workspace sign-in failed; carries only the reason. */
export class DesktopError extends Error {
  readonly reason: DesktopReason

  constructor(reason: DesktopReason) {
    super(reason)
    this.name = 'DesktopError'
    this.reason = reason
  }
}

/** The work belongs to a sign-in that has ended in the meantime, so its outcome is not reported. */
export class StaleWork extends Error {}

/** Returns the reason to report; an unexpected error counts as refused. */
export const reasonOf = (error: unknown): DesktopReason => (error instanceof DesktopError ? error.reason : 'refused')
