import { SESSION_PATH } from '#fairway/shared/paths'
import { sessionAnswerSchema } from '#fairway/shared/schemas/session'
import { sendJson } from '../request/send-json'
import { createSessionStore } from '../session/session-store'

const TIME_OUT_IN_MS = 10_000

/** One session store for this application; it asks nothing until it is asked. */
export default defineNuxtPlugin({
  name: 'session',
  setup: () => ({
    provide: {
      session: createSessionStore({
        ask: async () => {
          const answer = await sendJson(SESSION_PATH, { timeoutInMs: TIME_OUT_IN_MS })
          return sessionAnswerSchema.parse(answer).session
        },
        end: async () => {
          await sendJson(SESSION_PATH, { method: 'DELETE', timeoutInMs: TIME_OUT_IN_MS })
        },
      }),
    },
  }),
})
