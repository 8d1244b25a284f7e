import { orgPagePath, workingIn } from '#fairway/shared/org-path'
import { SESSION_PATH } from '#fairway/shared/paths'
import { isRecord } from '#fairway/shared/record'
import type { Session } from '#fairway/shared/schemas/session'
import { sendJson } from '../request/send-json'
import { addressOf, nameOrgInRequests, pageOrg } from '../session/page-org'
import { createSessionStore } from '../session/session-store'
import { writeDeviceSetting } from '../utils/device-setting'

const TIME_OUT_IN_MS = 10_000

declare global {
  interface Window {
    /** The first session request, sent when the page began to load (app/spa-loading-template.html). */
    fairwaySession?: Promise<Response>
  }
}

/** Returns the early response for the first call, within its timeout. Sends a request for every later call. */
const askEarly: typeof fetch = (input, init) => {
  const early = window.fairwaySession
  delete window.fairwaySession
  return early ? Promise.race([early, givenUp(init?.signal)]) : fetch(input, init)
}

const givenUp = (signal?: AbortSignal | null): Promise<never> =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))

// Checked without a schema, so that the first page does not load zod.
const isSessionAnswer = (answer: unknown): answer is { session: Session | null } =>
  isRecord(answer) &&
  (answer.session === null || (isRecord(answer.session) && typeof answer.session.userId === 'string'))

/** The session store of this application. It sends no request before the first check. */
export default defineNuxtPlugin({
  name: 'session',
  setup() {
    // For zod on the first page that loads it: the content security policy forbids `eval`.
    Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
    const session = createSessionStore({
      ask: async () => {
        const answer = await sendJson(SESSION_PATH, { timeoutInMs: TIME_OUT_IN_MS, fetch: askEarly })
        if (!isSessionAnswer(answer)) throw new TypeError('This is no answer about a session.')
        const { session } = answer
        // The sign-in page shows the previously used method.
        if (session) writeDeviceSetting('signed-in-with', session.provider)
        const { slug } = pageOrg
        // A former slug leads to the current one.
        if (slug && session?.orgSlug && session.orgSlug !== slug)
          location.replace(location.href.replace(addressOf(''), orgPagePath(session.orgSlug, '')))
        return session
      },
      end: async () => {
        await sendJson(SESSION_PATH, { method: 'DELETE', timeoutInMs: TIME_OUT_IN_MS })
      },
    })
    if (import.meta.client) {
      nameOrgInRequests(() => {
        const { value } = session.state
        return value.status === 'signed-in' ? (workingIn(value.session) ?? undefined) : undefined
      })
    }
    return { provide: { session } }
  },
})
