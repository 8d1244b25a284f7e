import type { CustomFetch } from 'openid-client'
import type { App } from '#fairway/server/kernel/app-context'
import { readAnswer } from '#fairway/server/kernel/http/fetch-json'

/**
 * A fetch for answers of providers: at most 256 KiB, no redirect followed, and all of one conversation within the signal.
 * The body is read before it is given on, so that a slow one ends here.
 */
export function boundedFetch(app: Pick<App, 'fetch'>, signal: AbortSignal): CustomFetch {
  return async (url, { method, headers, body }) => {
    const form = body instanceof URLSearchParams || typeof body === 'string' ? body : undefined
    const answer = await app.fetch(url, { method, headers, body: form, redirect: 'manual', signal })
    const text = await readAnswer(answer, new URL(url).host)
    const isEmpty = [101, 204, 205, 304].includes(answer.status)
    return new Response(isEmpty ? null : text, { status: answer.status, headers: answer.headers })
  }
}
