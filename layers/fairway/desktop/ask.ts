import { z } from 'zod'
import type { desktopReasons } from '../shared/schemas/desktop'
import type { DesktopHost, HostAnswer, HostRequest } from './host'

/** How long any request may take. */
const REQUEST_LIMIT_IN_MS = 10_000

interface AskInput extends Omit<HostRequest, 'signal'> {
  partition: string
  /** Ends the request early, as stale; without one it takes its time. */
  signal?: AbortSignal
  limitInMs?: number
}

/**
 * One request by the host that ends in time, whatever the host does.
 * Throws `DesktopError` (`timed-out`, `unreachable`) and `StaleWork` when its signal was aborted.
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

/** The answer of a request as JSON of this schema; throws `DesktopError`. */
export async function askJson<T>(host: DesktopHost, input: AskInput, schema: z.core.$ZodType<T>): Promise<T> {
  return parseAnswer(await ask(host, input), schema)
}

/** An answer as JSON of this schema; throws `DesktopError` for every other one. */
export function parseAnswer<T>(answer: HostAnswer, schema: z.core.$ZodType<T>): T {
  checkStatus(answer)
  const parsed = z.safeParse(schema, jsonOf(answer.body))
  if (!parsed.success) throw new DesktopError('refused')
  return parsed.data
}

/** Throws `DesktopError` for an answer that is not a success: `unreachable` where trying again later may help. */
export function checkStatus({ status }: HostAnswer): void {
  if (status >= 500 || status === 429) throw new DesktopError('unreachable')
  if (status < 200 || status >= 300) throw new DesktopError('refused')
}

/** A text as JSON; undefined for one that is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A reason that pages have a text for. */
export type DesktopReason = (typeof desktopReasons)[number]

/** Why something of a workspace sign-in did not work; carries nothing but the reason. */
export class DesktopError extends Error {
  readonly reason: DesktopReason

  constructor(reason: DesktopReason) {
    super(reason)
    this.name = 'DesktopError'
    this.reason = reason
  }
}

/** The work belongs to a sign-in that has been ended meanwhile: nothing is to be reported of it. */
export class StaleWork extends Error {}

/** The reason to report; whatever we did not foresee counts as refused. */
export const reasonOf = (error: unknown): DesktopReason => (error instanceof DesktopError ? error.reason : 'refused')
