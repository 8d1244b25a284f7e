import type { App } from '../app-context'
import { readLimited } from './read-limited'

const MOST_BYTES = 256 * 1024

interface FetchJsonInput {
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  /** A form, sent as `application/x-www-form-urlencoded`. */
  form?: URLSearchParams
  /** Ends the request and the reading of its answer. */
  signal: AbortSignal
}

/** Another server answered, but not with a 2xx. */
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
 * Asks another server for JSON: no redirect is followed, no more than 256 KiB is read, and the signal ends it at any point.
 * Throws for every answer that is not a 2xx with JSON (FailedAnswerError for another status); the error names the host, never what was sent or received.
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
    // The parser's own message quotes the text, which may hold tokens.
    throw new Error(`${host} did not answer with JSON`)
  }
}

/** The body of an answer as text; throws when it is longer than 256 KiB. */
export async function readAnswer(answer: Response, host: string): Promise<string> {
  try {
    return await readLimited(answer, MOST_BYTES)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new Error(`${host} answered with more than ${MOST_BYTES} bytes`, { cause: error })
  }
}
