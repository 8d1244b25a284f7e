import { OAuthError } from '../oauth-error'

const MINUTE_IN_MS = 60_000
/** How often documents are fetched for strangers, so that this server cannot be used to knock on others. */
const BUDGET = { atOnce: 16, atOncePerOrigin: 4, perMinute: 120, perMinutePerOrigin: 30, betweenInMs: 1000 }

export interface FetchBudget {
  /** Takes a place for one fetch and gives the function that frees it; throws `temporarily_unavailable` when there is none. */
  enter(clientId: string, origin: string): () => void
}

interface Use {
  atOnce: number
  inMinute: number
}

/** Counts fetches: at once and in a minute, for one origin and in all, and one second between two of the same document. */
export function createFetchBudget(now: () => Date): FetchBudget {
  const all: Use = { atOnce: 0, inMinute: 0 }
  const origins = new Map<string, Use>()
  const lastAt = new Map<string, number>()
  let minute = 0

  function startMinute(at: number) {
    if (Math.floor(at / MINUTE_IN_MS) === minute) return
    minute = Math.floor(at / MINUTE_IN_MS)
    all.inMinute = 0
    for (const [origin, use] of origins) {
      use.inMinute = 0
      if (use.atOnce === 0) origins.delete(origin)
    }
    for (const [id, last] of lastAt) if (at - last > BUDGET.betweenInMs) lastAt.delete(id)
  }

  return {
    enter(clientId, origin) {
      const at = now().getTime()
      startMinute(at)
      const own = origins.get(origin) ?? { atOnce: 0, inMinute: 0 }
      const isTooSoon = at - (lastAt.get(clientId) ?? -Infinity) < BUDGET.betweenInMs
      const isFull =
        all.atOnce >= BUDGET.atOnce ||
        all.inMinute >= BUDGET.perMinute ||
        own.atOnce >= BUDGET.atOncePerOrigin ||
        own.inMinute >= BUDGET.perMinutePerOrigin
      if (isTooSoon || isFull) {
        throw new OAuthError('temporarily_unavailable', 'Too many apps are looked up at the moment.', 429)
      }
      origins.set(origin, own)
      lastAt.set(clientId, at)
      for (const use of [all, own]) {
        use.atOnce += 1
        use.inMinute += 1
      }
      return () => {
        all.atOnce -= 1
        own.atOnce -= 1
      }
    },
  }
}
