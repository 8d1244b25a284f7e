import type { Client } from '@modelcontextprotocol/client'
import type { ActionTypes } from '#fw/action-types'
import type { CollectionTypes } from '#fw/collection-types'
import { type CatalogEntry, runAction } from '../server/domains/actions'
import { makePersonalToken } from '../server/domains/oauth-server'
import type { App } from '../server/kernel/app-context'
import { newRequestId } from '../server/kernel/crypto/random'
import { AppError, faultLines } from '../server/kernel/http/app-error'
import type { Edge } from './edge'
import { sessionOf, signIn, type Who } from './people'
import { z } from 'zod'
import { errorCatalog, type ErrorCode } from '../shared/errors'
import { readCollectionPage } from '../shared/collections/collection-page'

type NameOf<Types> = [keyof Types] extends [never] ? string : keyof Types & string
type InputOf<Name> = Name extends keyof ActionTypes ? ActionTypes[Name]['input'] : Record<string, unknown>
type OutputOf<Name> = Name extends keyof ActionTypes ? ActionTypes[Name]['output'] : unknown
type ItemOf<Name> = Name extends keyof CollectionTypes ? CollectionTypes[Name]['item'] : Record<string, unknown>

/** The input is optional when the action requires none of its fields. */
type InputArguments<Input> = Record<never, never> extends Input ? [input?: Input] : [input: Input]

export interface Reader {
  /** Reads one page of a collection over HTTP; without `as`, signed out. Throws an error with `code` and `status`. */
  list<Name extends NameOf<CollectionTypes>>(
    name: Name,
    options?: { as?: Who | null; query?: ListQuery },
  ): Promise<ListPage<ItemOf<Name>>>
}

/** The requests of one person, or of a caller who is signed out. */
export interface Caller {
  /**
   * Runs an action as a page does: session, guard, input, run, output and audit, in this order. Throws an error with `code`,
   * `status` and, for `invalid-input`, `errors`; its message lists them.
   */
  run<Name extends NameOf<ActionTypes>>(name: Name, ...input: InputArguments<InputOf<Name>>): Promise<OutputOf<Name>>
  /** Sends a request as this person's browser does from a page of the application; does not follow redirects. */
  fetch(path: string, options?: RequestOptions): Promise<Response>
  /** Reads one page of a collection over HTTP; throws an error with `code` and `status`. */
  list<Name extends NameOf<CollectionTypes>>(name: Name, query?: ListQuery): Promise<ListPage<ItemOf<Name>>>
  /**
   * Returns an MCP host that this person has connected to /mcp with all scopes: `listTools`, `callTool`, `readResource` and the
   * rest of the protocol. With `answer`, the host can ask the person.
   */
  mcp(options?: HostOptions): Promise<Client>
}

/** How the person of an MCP host answers. */
export interface HostOptions {
  /** Gets each question. True approves, false declines, and an object is the filled-in form. */
  answer?(question: string): boolean | Record<string, FormValue>
}

type FormValue = string | number | boolean | string[]

/** The callers of a test application. */
export function createCallers(app: App, edge: Edge, actions: readonly CatalogEntry[]) {
  const catalog = new Map(actions.map(({ name, action }) => [name, action]))
  const send = createBrowsers(app, edge)
  const hosts: Client[] = []

  async function run(who: Who | null, name: string, input: unknown = {}): Promise<unknown> {
    const action = catalog.get(name)
    if (!action) throw new Error(`There is no action ${name}. There are: ${[...catalog.keys()].join(', ') || 'none'}.`)
    const session = who && (await sessionOf(app, who))
    // The people of a test have just signed in.
    const hasRecentSignIn = async () => session !== null
    const call = { name, action, input, session, hasRecentSignIn, caller: 'http' as const, requestId: newRequestId() }
    return runAction(app, call).catch(tellFields)
  }

  // The name of an action or collection determines its types, so the object needs a cast.
  const as = (who: Who | null) =>
    ({
      run: (name: string, input?: unknown) => run(who, name, input),
      fetch: (path, options) => send(who, path, options),
      list: async (name: string, query?: ListQuery) => readPage(await send(who, listPath(name, query), AS_JSON_LD)),
      async mcp(options) {
        const host = await connectHost(app, edge, who, options)
        hosts.push(host)
        return host
      },
    }) as Caller

  return {
    as,
    async close() {
      await Promise.all(hosts.map(host => host.close()))
    },
  }
}

/** Throws a refusal with its invalid fields in the message, which is what Vitest prints. */
function tellFields(thrown: unknown): never {
  if (thrown instanceof AppError && thrown.errors)
    thrown.message = [thrown.message, ...faultLines(thrown.errors)].join('\n')
  throw thrown
}

/** Connects a host from the MCP library with a personal token of this person. */
async function connectHost(app: App, edge: Edge, who: Who | null, { answer }: HostOptions = {}): Promise<Client> {
  if (!who) throw new AppError('unauthenticated', { detail: 'A host is connected by a person.' })
  // Loaded on demand, because most test files connect no host.
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const session = await sessionOf(app, who)
  const { token } = await makePersonalToken(app, session, {
    name: 'Vitest',
    scopes: ['mcp:read', 'mcp:write'],
    expiresInDays: 365,
  })
  const capabilities = answer ? { elicitation: {} } : {}
  const host = new Client({ name: 'vitest', version: '1' }, { capabilities, versionNegotiation: { mode: 'auto' } })
  if (answer)
    host.setRequestHandler('elicitation/create', ({ params }) => {
      const reply = answer(params.message)
      if (reply === false) return { action: 'decline' }
      return { action: 'accept', content: reply === true ? { approve: true } : reply }
    })
  await host.connect(
    new StreamableHTTPClientTransport(new URL(`${app.config.baseUrl}/mcp`), {
      fetch: edge.fetch,
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  )
  return host
}

export interface RequestOptions extends RequestInit {
  /** Sent as the JSON body. */
  json?: unknown
}

/**
 * Holds the browsers of people, each signed in on first use. Returns a function that sends a request as a page of the application
 * does.
 */
export function createBrowsers(app: App, edge: Edge) {
  const jars = new Map<string, Promise<CookieJar>>()

  function jarOf(who: Who): Promise<CookieJar> {
    const jar = jars.get(who.email) ?? signIn(app, who).then(cookie => new CookieJar([cookie]))
    jars.set(who.email, jar)
    return jar
  }

  return async (who: Who | null, path: string, { json, ...options }: RequestOptions = {}): Promise<Response> => {
    const jar = who ? await jarOf(who) : new CookieJar()
    const headers = new Headers(json === undefined ? {} : { 'content-type': 'application/json' })
    if (jar.header !== '') headers.set('cookie', jar.header)
    if (!/^(get|head)$/i.test(options.method ?? 'get')) {
      headers.set('origin', app.config.baseUrl)
      headers.set('sec-fetch-site', 'same-origin')
    }
    for (const [name, value] of new Headers(options.headers)) headers.set(name, value)
    const body = json === undefined ? options.body : JSON.stringify(json)
    const answer = await edge.fetch(path, { ...options, headers, body })
    jar.keep(answer.headers.getSetCookie())
    return answer
  }
}

/** The cookies of one browser. */
class CookieJar {
  readonly #cookies = new Map<string, string>()

  constructor(setCookies: readonly string[] = []) {
    this.keep(setCookies)
  }

  get header(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  keep(setCookies: readonly string[]): void {
    for (const cookie of setCookies) {
      const [pair = ''] = cookie.split(';', 1)
      const at = pair.indexOf('=')
      if (/;\s*max-age=0/i.test(cookie)) this.#cookies.delete(pair.slice(0, at))
      else this.#cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
  }
}

/** The parameters of a collection as written in its address, for example `{ status: 'open', itemsPerPage: 10 }`. */
export type ListQuery = Readonly<Record<string, string | number | boolean | readonly string[]>>

/** One page of a collection. */
export interface ListPage<Item> {
  items: (Item & { '@id': string; '@type': string })[]
  /** Missing in collections that do not count. */
  totalItems?: number
  /** The addresses of the neighboring pages by name: `next`, `previous`, `first`, `last`. */
  links: Readonly<Record<string, string>>
}

/** The parameters of a request for a page. */
export const AS_JSON_LD = { headers: { accept: 'application/ld+json' } }

/** The address of a page. */
export function listPath(name: string, query: ListQuery = {}): string {
  const parameters = Object.entries(query).flatMap(([key, value]) =>
    (Array.isArray(value) ? value : [value]).map(one => [key, String(one)]),
  )
  return `/${name}?${new URLSearchParams(parameters)}`
}

const linkedItem = z.looseObject({ '@id': z.string(), '@type': z.string() })
const problemSchema = z.object({
  code: z.string(),
  detail: z.string().optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string(), code: z.string().optional() })).optional(),
})

/** Returns the page in a response; throws the error that the response contains. */
export async function readPage(answer: Response): Promise<ListPage<unknown>> {
  const body: unknown = await answer.json()
  if (!answer.ok) {
    const { code, detail, errors } = problemSchema.parse(body)
    return tellFields(new AppError(isCode(code) ? code : 'internal', { detail, errors }))
  }
  const { items, totalItems, view } = readCollectionPage(body)
  const links = Object.entries({ ...view }).flatMap(([key, link]) =>
    key.startsWith('@') || link === undefined ? [] : [[key, link] as const],
  )
  return { items: z.array(linkedItem).parse(items), totalItems, links: Object.fromEntries(links) }
}

const isCode = (code: string): code is ErrorCode => Object.hasOwn(errorCatalog, code)
