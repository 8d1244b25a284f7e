// Runs unchanged in a browser and in Node, so it uses only the language and zod, and its imports have file extensions.
import * as z from 'zod/mini'
import { type CollectionItem, type CollectionPage, readCollectionPage } from './collection-page.ts'

const MOST_TRIES = 6
const MOST_EMPTY_PAGES = 10
const MOST_WAIT_IN_MS = 300_000
const TIME_OUT_IN_MS = 60_000

type Fetch = typeof globalThis.fetch

export interface IterateOptions<Item = CollectionItem> {
  /** Parameters of the first page, for example `{ itemsPerPage: 100, 'order[title]': 'asc' }`; the links keep them. */
  query?: Readonly<Record<string, string | number | boolean>>
  /** Sent with every request, for example a credential. */
  headers?: Readonly<Record<string, string>>
  /** Ends the iteration: the loop throws the signal's reason, so that an incomplete list is not mistaken for a complete one. */
  signal?: AbortSignal
  /** Checks an item and types it; without it items are records of unknown values. */
  parse?: (item: CollectionItem) => Item
  /** The longest pause that `Retry-After` may require, in milliseconds; five minutes by default. */
  mostWaitInMs?: number
}

/** Iterates over the items of all pages; `pages()` iterates over the pages instead. Each loop sends new requests. */
interface CollectionWalk<Item> extends AsyncIterable<Item> {
  pages(): AsyncGenerator<CollectionPage<Item>, void>
}

/**
 * Reads a whole collection page by page, following `view.next` to its end; each page is fetched when the loop reaches it.
 * `source` is the origin of the server, or a `fetch` that knows it. Loops throw CollectionError for a response that is not a
 * page, for a link to another origin and for links that never end.
 */
export function iterateCollection<Item = CollectionItem>(
  source: string | Fetch,
  path: string,
  options: IterateOptions<Item> = {},
): CollectionWalk<Item> {
  const pages = () => walkPages(source, path, options)
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page.items
    },
  }
}

async function* walkPages<Item>(
  source: string | Fetch,
  path: string,
  options: IterateOptions<Item>,
): AsyncGenerator<CollectionPage<Item>, void> {
  const ask = typeof source === 'string' ? globalThis.fetch : source
  // A given fetch knows its server, so only paths are passed to it.
  const base = typeof source === 'string' ? new URL(source) : new URL('http://collection.invalid')
  const seen = new Set<string>()
  let url: URL | undefined = firstUrl(path, base, options.query)
  let emptyPages = 0
  while (url) {
    if (seen.has(url.href))
      throw new CollectionError('link-loop', `The links lead back to ${url.pathname}${url.search}.`)
    seen.add(url.href)
    const target = typeof source === 'string' ? url.href : url.pathname + url.search
    const page = await readPage(await askPatiently(ask, target, options), target, options.signal)
    emptyPages = page.items.length === 0 ? emptyPages + 1 : 0
    if (emptyPages > MOST_EMPTY_PAGES) throw new CollectionError('link-loop', 'The links lead to empty pages only.')
    const { parse } = options
    // Without `parse` the type parameter is that of the items: records.
    yield { ...page, items: parse ? page.items.map(item => parse(item)) : (page.items as readonly Item[]) }
    url = page.view?.next === undefined ? undefined : linkUrl(page.view.next, url)
  }
}

function firstUrl(path: string, base: URL, query: IterateOptions['query'] = {}): URL {
  const url = linkUrl(path, base)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
  return url
}

function linkUrl(link: string, base: URL): URL {
  const url = URL.canParse(link, base) ? new URL(link, base) : undefined
  if (url?.origin === base.origin) return url
  throw new CollectionError('foreign-link', `The link ${link} leads to another origin.`)
}

/** Retries until the status is other than 429 and 503, with the pauses that the server requires. */
async function askPatiently(
  ask: Fetch,
  target: string,
  options: Pick<IterateOptions, 'headers' | 'signal' | 'mostWaitInMs'>,
): Promise<Response> {
  const { headers, signal, mostWaitInMs = MOST_WAIT_IN_MS } = options
  for (let tries = 1; ; tries++) {
    signal?.throwIfAborted()
    const timeOut = AbortSignal.timeout(TIME_OUT_IN_MS)
    const response = await ask(target, {
      headers: { accept: 'application/ld+json, application/json', ...headers },
      // A server that redirects to another address is not the collection.
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timeOut]) : timeOut,
    })
    if (response.ok) return response
    const pause = tries < MOST_TRIES ? pauseBeforeRetry(response, tries) : undefined
    if (pause === undefined || pause > mostWaitInMs) throw await CollectionError.of(response)
    await response.body?.cancel()
    await rest(pause, signal)
  }
}

async function readPage(response: Response, target: string, signal?: AbortSignal): Promise<CollectionPage> {
  try {
    return readCollectionPage(await response.json())
  } catch (cause) {
    signal?.throwIfAborted()
    throw new CollectionError('unreadable-answer', `The answer of ${target} is not a page of a collection.`, { cause })
  }
}

function rest(milliseconds: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  const stop = () => {
    clearTimeout(timer)
    reject(signal?.reason)
  }
  signal?.addEventListener('abort', stop, { once: true })
  return promise.finally(() => signal?.removeEventListener('abort', stop))
}

const RETRIED = new Set([429, 503])
const FIRST_PAUSE_IN_MS = 500

/**
 * Returns the pause before the next request in milliseconds: the value of `Retry-After`, else doubled each time; undefined for
 * final responses.
 */
export function pauseBeforeRetry(response: Response, tries: number, now = Date.now()): number | undefined {
  if (!RETRIED.has(response.status)) return undefined
  return retryAfter(response.headers.get('retry-after'), now) ?? FIRST_PAUSE_IN_MS * 2 ** (tries - 1)
}

function retryAfter(value: string | null, now: number): number | undefined {
  if (!value) return undefined
  if (/^\d+$/.test(value.trim())) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

const problemSchema = z.object({
  code: z.optional(z.string()),
  detail: z.optional(z.string()),
  title: z.optional(z.string()),
})

/** Why only a part of a collection could be read. */
export class CollectionError extends Error {
  /** The server's error code, or `link-loop`, `foreign-link`, `unreadable-answer`. */
  readonly code: string
  /** The HTTP status, or 0 when the response itself was valid. */
  readonly status: number

  constructor(code: string, message: string, options: ErrorOptions & { status?: number } = {}) {
    super(message, options)
    this.name = 'CollectionError'
    this.code = code
    this.status = options.status ?? 0
  }

  /** Returns the error that a refusing response describes (problem+json), as far as it can be read. */
  static async of(response: Response): Promise<CollectionError> {
    const body: unknown = await response.json().catch(() => undefined)
    const { data: problem } = problemSchema.safeParse(body)
    const message = problem?.detail ?? problem?.title ?? `The server answered with ${response.status}.`
    return new CollectionError(problem?.code ?? 'unreadable-answer', message, { status: response.status })
  }
}
