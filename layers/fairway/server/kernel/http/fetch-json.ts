import type { App } from '../app-context'
import { bodyLimits } from '../limits/limits'

interface FetchJsonInput {
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  /** A form, sent as `application/x-www-form-urlencoded`. */
  form?: URLSearchParams
  /** Aborts the request and the reading of its response. */
  signal: AbortSignal
}

/** Another server responded with a status other than 2xx. */
export class FailedAnswerError extends Error {
  override name = 'FailedAnswerError'

  constructor(
    host: string,
    readonly status: number,
  ) {
    super(`${host} answered ${status}`)
  }
}

/**
 * Fetches JSON from another server: it follows no redirect, reads at most 256 KiB, and the signal can abort it at any point.
 * Throws for every response except a 2xx with JSON (FailedAnswerError for another status). The error names the host, never the
 * sent or received data.
 */
export async function fetchJson(app: Pick<App, 'fetch'>, url: string, input: FetchJsonInput): Promise<unknown> {
  const { host } = new URL(url)
  const answer = await app
    .fetch(url, {
      method: input.method ?? 'GET',
      headers: { accept: 'application/json', 'user-agent': 'Fairway', ...input.headers },
      body: input.form,
      redirect: 'manual',
      signal: input.signal,
    })
    .catch((cause: unknown) => {
      throw new Error(`${host} did not answer`, { cause })
    })
  if (answer.ok) return readJson(answer, host)
  await answer.body?.cancel()
  throw new FailedAnswerError(host, answer.status)
}

async function readJson(answer: Response, host: string): Promise<unknown> {
  const text = await readAnswer(answer, host)
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message quotes the text, which may contain tokens.
    throw new Error(`${host} did not answer with JSON`)
  }
}

/** Returns the body of a response as text; throws when it is longer than 256 KiB. */
export async function readAnswer(answer: Response, host: string): Promise<string> {
  try {
    return await readLimited(answer, bodyLimits.answer)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new Error(`${host} answered with more than ${bodyLimits.answer} bytes`, { cause: error })
  }
}

/** Returns the text of another server's response; throws RangeError as soon as it has more than `maxBytes`. */
export async function readLimited(response: Response, maxBytes: number): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length
    if (size > maxBytes) {
      await reader.cancel()
      throw new RangeError(`the answer has more than ${maxBytes} bytes`)
    }
    chunks.push(part.value)
  }
  return Buffer.concat(chunks, size).toString('utf8')
}

/**
 * Returns the kind of a failed request for the log, such as `TypeError ECONNREFUSED`. Messages of the network layer and the parser
 * may contain parts of the request or response.
 */
export function networkReason(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { cause } = error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return `${error.name} ${code}`.trim()
}
