import { SESSION_PATH } from '#fairway/shared/paths'
import { isRecord } from '#fairway/shared/record'
import type { Session } from '#fairway/shared/schemas/session'
import { sendJson } from '../request/send-json'
import { createSessionStore } from '../session/session-store'
import { writeDeviceSetting } from '../utils/device-setting'

const TIME_OUT_IN_MS = 10_000

declare global {
  interface Window {
    /** The first question for the session, on its way since the page began to load (app/spa-loading-template.html). */
    fairwaySession?: Promise<Response>
  }
}

/** Gives the answer that is on its way already, once, as long as it is waited for; every later question is sent. */
const askEarly: typeof fetch = (input, init) => {
  const early = window.fairwaySession
  delete window.fairwaySession
  return early ? Promise.race([early, givenUp(init?.signal)]) : fetch(input, init)
}

const givenUp = (signal?: AbortSignal | null): Promise<never> =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))

// Looked at without a schema, which would bring zod into the first page.
const isSessionAnswer = (answer: unknown): answer is { session: Session | null } =>
  isRecord(answer) &&
  (answer.session === null || (isRecord(answer.session) && typeof answer.session.userId === 'string'))

/** One session store for this application; it asks nothing until it is asked. */
export default defineNuxtPlugin({
  name: 'session',
  setup() {
    // For zod, which comes with the first page that needs it: the content security policy allows no code from text.
    Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
    return {
      provide: {
        session: createSessionStore({
          ask: async () => {
            const answer = await sendJson(SESSION_PATH, { timeoutInMs: TIME_OUT_IN_MS, fetch: askEarly })
            if (!isSessionAnswer(answer)) throw new TypeError('This is no answer about a session.')
            const { session } = answer
            // The sign-in page shows next time what has worked.
            if (session) writeDeviceSetting('signed-in-with', session.provider)
            return session
          },
          end: async () => {
            await sendJson(SESSION_PATH, { method: 'DELETE', timeoutInMs: TIME_OUT_IN_MS })
          },
        }),
      },
    }
  },
})
