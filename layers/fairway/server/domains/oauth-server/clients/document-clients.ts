import { isIP } from 'node:net'
import type { App } from '#fairway/server/kernel/app-context'
import { guardedFetchOf } from '#fairway/server/kernel/http/outside-fetch'
import { createCache } from '#fairway/server/kernel/cache'
import { OAuthError } from '../oauth-error'
import { type OAuthClient, refusedClient, fetchDocument } from './client-metadata'
import { watchDocumentFetches } from './document-outage'
import { isBlockedPort } from './redirect-uri'

const MINUTE_IN_MS = 60_000
const REFUSAL_LIFE_IN_MS = MINUTE_IN_MS / 2
/** How long the last good document replaces one that cannot be fetched. */
const STAND_IN_LIFE_IN_MS = 24 * 60 * MINUTE_IN_MS
/** One visit looks up the document several times. One that may not be cached is fetched again on the next visit. */
const LEAST_LIFE_IN_SECONDS = 2

const LONGEST_ADDRESS = 2048
/** Suffixes of names that are never on the public network. */
const PRIVATE_SUFFIXES = 'localhost local internal intranet lan home corp arpa onion invalid'.split(' ')

interface Kept {
  client: OAuthClient
  etag: string | null
  fetchedAt: number
  freshUntil: number
}

interface Refusal {
  error: OAuthError
  until: number
}

/**
 * Returns the client that the document at this address describes. Throws `invalid_client`, also when documents are off. Throws
 * `temporarily_unavailable` when this network, or all together, look up too many.
 */
export async function findDocumentClient(app: App, clientId: string, network: string): Promise<OAuthClient> {
  if (app.config.oauth.clientDocuments === 'off') throw refusedClient(NONE_TAKEN)
  const fault = clientIdUrlFault(clientId)
  if (fault) throw refusedClient(`The client_id is not the address of a metadata document. ${fault}`)
  return app.memo('document-clients', () => createDocumentClients(app)).find(clientId, network)
}

const NONE_TAKEN =
  'This server takes no metadata documents (FW_CLIENT_DOCUMENTS=off). Remove this server from the app and add it again: the app then registers itself.'

/** Whether a client_id is an address: anything that begins with a scheme. Such a client is never looked up in our own table. */
export const isUrlLike = (clientId: string): boolean => /^\s*[a-z][a-z0-9+.-]*:/i.test(clientId)

/** Returns why an address cannot be that of a client's metadata document, as a sentence; undefined when it can. */
export function clientIdUrlFault(clientId: string): string | undefined {
  if (clientId.length > LONGEST_ADDRESS) return 'It is too long.'
  if (!clientId.startsWith('https://')) return 'It does not begin with https://.'
  if (clientId.includes('#')) return 'It has a fragment.'
  if (!URL.canParse(clientId)) return 'It is not a valid address.'
  const url = new URL(clientId)
  if (/^https:\/\/[^/?]*@/.test(clientId)) return 'It has a user name.'
  if (isBlockedPort(url)) return 'Browsers do not speak to its port.'
  // The parser normalizes dot segments, numeric hosts, upper case and default ports. Accepting those would allow two spellings of
  // one client.
  if (url.href !== clientId) return 'It is not in its normal form.'
  if (url.pathname === '/') return 'It has no path.'
  return hostFault(url.hostname)
}

function hostFault(hostname: string): string | undefined {
  if (isIP(hostname) || hostname.startsWith('[')) return 'Its host is a number.'
  if (hostname.endsWith('.')) return 'Its host ends with a dot.'
  const labels = hostname.split('.')
  if (labels.length < 2 || PRIVATE_SUFFIXES.includes(labels.at(-1) ?? ''))
    return 'Its host is not in the public network.'
  return undefined
}

/**
 * Caches documents as long as their headers allow (five minutes at most) and refusals for half a minute. Concurrent callers cause
 * one fetch.
 */
function createDocumentClients(app: App) {
  const now = () => app.now()
  const documents = createCache<Kept>('client-documents')
  const refusals = createCache<Refusal>('client-documents')
  const running = new Map<string, Promise<OAuthClient>>()
  const fetches = watchDocumentFetches(app)

  /**
   * Returns the last good document while the current one is unavailable. Throws the refusal when there is none or the document is
   * at fault.
   */
  async function standIn(clientId: string, before: Kept | undefined, error: OAuthError): Promise<OAuthClient> {
    const at = now().getTime()
    const { isAway, description } = await fetches.judge(error, new URL(clientId).hostname)
    if (isAway && before && at - before.fetchedAt <= STAND_IN_LIFE_IN_MS) {
      documents.set(clientId, { ...before, freshUntil: at + REFUSAL_LIFE_IN_MS })
      return before.client
    }
    documents.delete(clientId)
    const refusal = refusedClient(description, error.cause)
    refusals.set(clientId, { error: refusal, until: at + REFUSAL_LIFE_IN_MS })
    throw refusal
  }

  async function load(clientId: string, leave: () => void): Promise<OAuthClient> {
    const before = documents.get(clientId)
    try {
      const current = await fetchAnew(app, clientId, before)
      documents.set(clientId, current)
      await fetches.reached()
      return current.client
    } catch (error) {
      if (error instanceof OAuthError) return await standIn(clientId, before, error)
      documents.delete(clientId)
      throw error
    } finally {
      leave()
    }
  }

  return {
    async find(clientId: string, network: string): Promise<OAuthClient> {
      const at = now().getTime()
      const known = documents.get(clientId)
      if (known && known.freshUntil > at) return known.client
      const refusal = refusals.get(clientId)
      if (refusal && refusal.until > at) throw refusal.error
      const underWay = running.get(clientId)
      if (underWay) return underWay
      // Outside of the shared run, so that a network over its limit does not cause a refusal for the others.
      const leave = fetchBudgetOf(app).enter(clientId, network)
      const run = load(clientId, leave).finally(() => running.delete(clientId))
      running.set(clientId, run)
      return run
    },
  }
}

async function fetchAnew(app: App, clientId: string, before: Kept | undefined): Promise<Kept> {
  const { client, etag, lifeInSeconds } = await fetchDocument(guardedFetchOf(app), clientId, before?.etag ?? null)
  const current = client ?? before?.client
  if (!current) throw refusedClient('The metadata document of the app was not sent.')
  const fetchedAt = app.now().getTime()
  const life = Math.max(LEAST_LIFE_IN_SECONDS, lifeInSeconds)
  return { client: current, etag, fetchedAt, freshUntil: fetchedAt + life * 1000 }
}

const BETWEEN_IN_MS = 1000

/**
 * The limits for fetching documents. They prevent floods of other servers and keep one network from using up the share of all
 * others. One network gets a small part of the total.
 */
const BUDGET = {
  all: { atOnce: 64, inMinute: Infinity },
  host: { atOnce: 16, inMinute: 120 },
  network: { atOnce: 8, inMinute: 60 },
  networkAtHost: { atOnce: 4, inMinute: 20 },
}

interface Use {
  atOnce: number
  inMinute: number
}

/** The limits for fetches from the servers of clients, shared by documents and keys. */
export const fetchBudgetOf = (app: App) => app.memo('client-fetches', () => createFetchBudget(() => app.now()))

/** Limits fetches: concurrent and per minute, for networks and for hosts, and one second between two of the same document. */
function createFetchBudget(now: () => Date) {
  const uses = new Map<string, Use>()
  const lastAt = new Map<string, number>()
  let minute = 0

  function startMinute(at: number) {
    if (Math.floor(at / MINUTE_IN_MS) === minute) return
    minute = Math.floor(at / MINUTE_IN_MS)
    for (const [key, use] of uses) {
      use.inMinute = 0
      if (use.atOnce === 0) uses.delete(key)
    }
    for (const [id, last] of lastAt) if (at - last > BETWEEN_IN_MS) lastAt.delete(id)
  }

  return {
    /**
     * Reserves a fetch for a network and returns the function that releases it. Throws `temporarily_unavailable` when a limit is
     * reached.
     */
    enter(clientId: string, network: string): () => void {
      const at = now().getTime()
      startMinute(at)
      const counted = sharesOf(new URL(clientId).hostname, network).map(([key, most]) => {
        return { key, most, use: uses.get(key) ?? { atOnce: 0, inMinute: 0 } }
      })
      const isTooSoon = at - (lastAt.get(clientId) ?? -Infinity) < BETWEEN_IN_MS
      if (isTooSoon || counted.some(({ use, most }) => isFull(use, most))) {
        throw new OAuthError('temporarily_unavailable', 'Too many apps are looked up at the moment.', 429)
      }
      lastAt.set(clientId, at)
      for (const { key, use } of counted) {
        uses.set(key, use)
        use.atOnce += 1
        use.inMinute += 1
      }
      return () => {
        for (const { use } of counted) use.atOnce -= 1
      }
    },
  }
}

// All ports of one host share its limit, because there are 65,535 of them.
const sharesOf = (host: string, network: string): [key: string, most: Use][] => [
  ['all', BUDGET.all],
  [`host ${host}`, BUDGET.host],
  [`network ${network}`, BUDGET.network],
  [`network ${network} at ${host}`, BUDGET.networkAtHost],
]

const isFull = (use: Use, most: Use): boolean => use.atOnce >= most.atOnce || use.inMinute >= most.inMinute
