import type { Client } from '@modelcontextprotocol/client'
import type { ActionTypes } from '#fw/action-types'
import type { CollectionTypes } from '#fw/collection-types'
import { type CatalogEntry, runAction } from '../server/domains/actions'
import { makePersonalToken } from '../server/domains/oauth-server'
import type { App } from '../server/kernel/app-context'
import { newRequestId } from '../server/kernel/crypto/random'
import { AppError } from '../server/kernel/http/app-error'
import { createBrowsers, type RequestOptions } from './browsers'
import type { Edge } from './edge'
import { AS_JSON_LD, type ListPage, listPath, type ListQuery, readPage } from './list-page'
import { sessionOf, type Who } from './people'

type NameOf<Types> = [keyof Types] extends [never] ? string : keyof Types & string
type InputOf<Name> = Name extends keyof ActionTypes ? ActionTypes[Name]['input'] : Record<string, unknown>
type OutputOf<Name> = Name extends keyof ActionTypes ? ActionTypes[Name]['output'] : unknown
type ItemOf<Name> = Name extends keyof CollectionTypes ? CollectionTypes[Name]['item'] : Record<string, unknown>

/** An input may be left out where nothing in it is required. */
type InputArguments<Input> = Record<never, never> extends Input ? [input?: Input] : [input: Input]

export interface Reader {
  /** One page of a collection over HTTP, as somebody sees it: `as` is nobody when not given. Throws an error with `code` and `status`. */
  list<Name extends NameOf<CollectionTypes>>(
    name: Name,
    options?: { as?: Who | null; query?: ListQuery },
  ): Promise<ListPage<ItemOf<Name>>>
}

/** What one person does, or somebody who is not signed in. */
export interface Caller {
  /**
   * Runs an action as a page would: session, guard, input, run, output and audit, in this order. Throws an error with `code`, `status`
   * and, for `invalid-input`, `errors`.
   */
  run<Name extends NameOf<ActionTypes>>(name: Name, ...input: InputArguments<InputOf<Name>>): Promise<OutputOf<Name>>
  /** Sends a request as this person's browser does from a page of the application; follows no redirects. */
  fetch(path: string, options?: RequestOptions): Promise<Response>
  /** One page of a collection over HTTP; throws an error with `code` and `status`. */
  list<Name extends NameOf<CollectionTypes>>(name: Name, query?: ListQuery): Promise<ListPage<ItemOf<Name>>>
  /** A host that this person has connected to /mcp, with all scopes: `listTools`, `callTool`, `readResource` and the rest of the protocol. */
  mcp(): Promise<Client>
}

/** Those who call a test application. */
export function createCallers(app: App, edge: Edge, actions: readonly CatalogEntry[]) {
  const catalog = new Map(actions.map(({ name, action }) => [name, action]))
  const send = createBrowsers(app, edge)
  const hosts: Client[] = []

  async function run(who: Who | null, name: string, input: unknown = {}): Promise<unknown> {
    const action = catalog.get(name)
    if (!action) throw new Error(`There is no action ${name}. There are: ${[...catalog.keys()].join(', ') || 'none'}.`)
    const session = who && (await sessionOf(app, who))
    // People of a test signed in a moment ago.
    const hasRecentSignIn = async () => session !== null
    return runAction(app, { name, action, input, session, hasRecentSignIn, caller: 'http', requestId: newRequestId() })
  }

  // The types of one action or collection are known by its name alone.
  const as = (who: Who | null) =>
    ({
      run: (name: string, input?: unknown) => run(who, name, input),
      fetch: (path, options) => send(who, path, options),
      list: async (name: string, query?: ListQuery) => readPage(await send(who, listPath(name, query), AS_JSON_LD)),
      async mcp() {
        const host = await connectHost(app, edge, who)
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

/** A host of the protocol's own library, with a personal token of this person. */
async function connectHost(app: App, edge: Edge, who: Who | null): Promise<Client> {
  if (!who) throw new AppError('unauthenticated', { detail: 'A host is connected by a person.' })
  // Most test files connect none.
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const session = await sessionOf(app, who)
  const { token } = await makePersonalToken(app, session, {
    name: 'Vitest',
    scopes: ['mcp:read', 'mcp:write'],
    expiresInDays: 365,
  })
  const host = new Client({ name: 'vitest', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await host.connect(
    new StreamableHTTPClientTransport(new URL(`${app.config.baseUrl}/mcp`), {
      fetch: edge.fetch,
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  )
  return host
}
