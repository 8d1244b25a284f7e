import type { App } from '#server/foundation/app-context'
import { createGuardedFetch, type GuardedFetch } from '#server/foundation/http/guarded-fetch'
import { OAuthError } from '../oauth-error'
import { type OAuthClient, refusedClient } from './client'
import { clientIdUrlFault } from './client-id-url'
import { createFetchBudget } from './fetch-budget'
import { fetchDocument } from './metadata-document'

const MOST_KEPT = 1000
const REFUSAL_LIFE_IN_MS = 30_000
/** One visit asks several times; what may not be kept is asked for again by the next. */
const LEAST_LIFE_IN_SECONDS = 2

interface Kept {
  client: OAuthClient
  etag: string | null
  freshUntil: number
}

interface Refusal {
  error: OAuthError
  until: number
}

/** The transport to strangers' servers; a test gives the app one of its own before the first use. */
const guardedFetchOf = (app: App): GuardedFetch => app.once('guarded-fetch', () => createGuardedFetch())

/** The client that the document at this address describes; throws `invalid_client`, and `temporarily_unavailable` when too many are asked for, by this network or by all. */
export async function findDocumentClient(app: App, clientId: string, network: string): Promise<OAuthClient> {
  const fault = clientIdUrlFault(clientId)
  if (fault) throw refusedClient(`The client_id is not the address of a metadata document. ${fault}`)
  const clients = app.once('document-clients', () => createDocumentClients(guardedFetchOf(app), () => app.now()))
  return clients.find(clientId, network)
}

/** Keeps documents as long as their headers allow (five minutes at most) and refusals for half a minute; many callers at once cause one fetch. */
function createDocumentClients(guardedFetch: GuardedFetch, now: () => Date) {
  const kept = new Map<string, Kept>()
  const refusals = new Map<string, Refusal>()
  const running = new Map<string, Promise<OAuthClient>>()
  const budget = createFetchBudget(now)

  async function load(clientId: string, leave: () => void): Promise<OAuthClient> {
    const before = kept.get(clientId)
    try {
      const { client = null, etag, lifeInSeconds } = await fetchDocument(guardedFetch, clientId, before?.etag ?? null)
      const current = client ?? before?.client
      if (!current) throw refusedClient('The metadata document of the app was not sent.')
      const life = Math.max(LEAST_LIFE_IN_SECONDS, lifeInSeconds)
      keep(kept, clientId, { client: current, etag, freshUntil: now().getTime() + life * 1000 })
      return current
    } catch (error) {
      kept.delete(clientId)
      if (error instanceof OAuthError) keep(refusals, clientId, { error, until: now().getTime() + REFUSAL_LIFE_IN_MS })
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

// The one that was kept first goes first.
function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key)
  map.set(key, value)
  if (map.size > MOST_KEPT) map.delete(map.keys().next().value ?? '')
}
