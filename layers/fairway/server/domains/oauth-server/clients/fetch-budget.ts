import { OAuthError } from '../oauth-error'

const MINUTE_IN_MS = 60_000
const BETWEEN_IN_MS = 1000

/**
 * How often documents are fetched for strangers: so that this server cannot be used to knock on others, and nobody uses up what
 * others need. Of what is for all networks together, one of them gets a small part.
 */
const BUDGET = {
  all: { atOnce: 64, inMinute: Infinity },
  origin: { atOnce: 16, inMinute: 120 },
  network: { atOnce: 8, inMinute: 60 },
  networkAtOrigin: { atOnce: 4, inMinute: 20 },
}

export interface FetchBudget {
  /** Takes a place for one fetch that a network asks for, and gives the function that frees it; throws `temporarily_unavailable` when there is none. */
  enter(clientId: string, network: string): () => void
}

interface Use {
  atOnce: number
  inMinute: number
}

/** Counts fetches: at once and in a minute, for networks and for the origins they ask for, and one second between two of the same document. */
export function createFetchBudget(now: () => Date): FetchBudget {
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
    enter(clientId, network) {
      const at = now().getTime()
      startMinute(at)
      const counted = sharesOf(new URL(clientId).origin, network).map(([key, most]) => {
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

const sharesOf = (origin: string, network: string): [key: string, most: Use][] => [
  ['all', BUDGET.all],
  [`origin ${origin}`, BUDGET.origin],
  [`network ${network}`, BUDGET.network],
  [`network ${network} at ${origin}`, BUDGET.networkAtOrigin],
]

const isFull = (use: Use, most: Use): boolean => use.atOnce >= most.atOnce || use.inMinute >= most.inMinute
