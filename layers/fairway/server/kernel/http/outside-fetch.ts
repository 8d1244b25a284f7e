import type { App } from '../app-context'
import { bodyLimits } from '../limits/limits'
import { createGuardedFetch, type GuardedFetch } from './guarded-fetch'

const LIMIT_IN_MS = 8000
const EMPTY_STATUSES = new Set([101, 204, 205, 304])

/** The transport to addresses that come from outside. Tests set their own before its first use. */
export const guardedFetchOf = (app: Pick<App, 'memo'>): GuardedFetch =>
  app.memo('guarded-fetch', () => createGuardedFetch())

/**
 * A `fetch` for addresses that people outside enter: GET, or POST with a text or form. It reaches public https addresses, and the
 * listed origins, which operators trust. It follows no redirect and reads at most 256 KiB.
 */
export const outsideFetch =
  (app: App, trustedOrigins: readonly string[]): typeof fetch =>
  async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input)
    if (trustedOrigins.includes(url.origin)) return app.fetch(url, init)
    const answer = await guardedFetchOf(app)(url.href, {
      headers: Object.fromEntries(new Headers(init.headers)),
      body: init.body === undefined || init.body === null ? undefined : String(init.body),
      maxBytes: bodyLimits.answer,
      limitInMs: LIMIT_IN_MS,
      readsBeginning: true,
      takesPorts: true,
    })
    const headers = ['content-type', 'www-authenticate'].flatMap(name => {
      const value = answer.header(name)
      return value === undefined ? [] : [[name, value] as [string, string]]
    })
    return new Response(EMPTY_STATUSES.has(answer.status) ? null : answer.text, { status: answer.status, headers })
  }
