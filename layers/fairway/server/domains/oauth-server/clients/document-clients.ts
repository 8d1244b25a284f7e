import { LRUCache } from 'lru-cache'
import type { App } from '#fairway/server/kernel/app-context'
import { createGuardedFetch, type GuardedFetch } from '#fairway/server/kernel/http/guarded-fetch'
import { OAuthError } from '../oauth-error'
import { type OAuthClient, refusedClient } from './client'
import { clientIdUrlFault } from './client-id-url'
import { createFetchBudget } from './fetch-budget'
import { fetchDocument } from './metadata-document'
import { createWayOut } from './way-out'

const MINUTE_IN_MS = 60_000
const MOST_KEPT = 1000
const REFUSAL_LIFE_IN_MS = MINUTE_IN_MS / 2
/** How long the last good document stands in for one that cannot be fetched. */
const STAND_IN_LIFE_IN_MS = 24 * 60 * MINUTE_IN_MS
/** One visit asks several times; what may not be kept is asked for again by the next. */
const LEAST_LIFE_IN_SECONDS = 2

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

/** The transport to strangers' servers; a test gives the app one of its own before the first use. */
const guardedFetchOf = (app: App): GuardedFetch => app.memo('guarded-fetch', () => createGuardedFetch())

/** The client that the document at this address describes; throws `invalid_client`, also where no documents are taken, and `temporarily_unavailable` when too many are asked for, by this network or by all. */
export async function findDocumentClient(app: App, clientId: string, network: string): Promise<OAuthClient> {
  if (app.config.oauth.clientDocuments === 'off') throw refusedClient(NONE_TAKEN)
  const fault = clientIdUrlFault(clientId)
  if (fault) throw refusedClient(`The client_id is not the address of a metadata document. ${fault}`)
  return app.memo('document-clients', () => createDocumentClients(app)).find(clientId, network)
}

const NONE_TAKEN =
  'This server takes no metadata documents (FW_CLIENT_DOCUMENTS=off). Remove this server from the app and add it again: the app then registers itself.'

/** Keeps documents as long as their headers allow (five minutes at most) and refusals for half a minute; many callers at once cause one fetch. */
function createDocumentClients(app: App) {
  const now = () => app.now()
  const kept = new LRUCache<string, Kept>({ max: MOST_KEPT })
  const refusals = new LRUCache<string, Refusal>({ max: MOST_KEPT })
  const running = new Map<string, Promise<OAuthClient>>()
  const budget = createFetchBudget(now)
  const wayOut = createWayOut(app)

  /** The last good document where it cannot be had now; throws the refusal where there is none, or the document is at fault. */
  async function standIn(clientId: string, before: Kept | undefined, error: OAuthError): Promise<OAuthClient> {
    const at = now().getTime()
    const { isAway, description } = await wayOut.judge(error, new URL(clientId).hostname)
    if (isAway && before && at - before.fetchedAt <= STAND_IN_LIFE_IN_MS) {
      kept.set(clientId, { ...before, freshUntil: at + REFUSAL_LIFE_IN_MS })
      return before.client
    }
    kept.delete(clientId)
    const refusal = refusedClient(description, error.cause)
    refusals.set(clientId, { error: refusal, until: at + REFUSAL_LIFE_IN_MS })
    throw refusal
  }

  async function load(clientId: string, leave: () => void): Promise<OAuthClient> {
    const before = kept.get(clientId)
    try {
      const current = await fetchAnew(app, clientId, before)
      kept.set(clientId, current)
      await wayOut.reached()
      return current.client
    } catch (error) {
      if (error instanceof OAuthError) return await standIn(clientId, before, error)
      kept.delete(clientId)
      throw error
    } finally {
      leave()
    }
  }

  return {
    async find(clientId: string, network: string): Promise<OAuthClient> {
      const at = now().getTime()
      const known = kept.get(clientId)
      if (known && known.freshUntil > at) return known.client
      const refusal = refusals.get(clientId)
      if (refusal && refusal.until > at) throw refusal.error
      const underWay = running.get(clientId)
      if (underWay) return underWay
      // Outside of what others wait for: a network without a share refuses nobody else.
      const leave = budget.enter(clientId, network)
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
