import type { H3Event } from 'h3'
import { getApp } from '#fairway/server/kernel/app-context'
import { withRun } from '#fairway/server/kernel/current-run'
import { requestInfo } from '#fairway/server/kernel/http/request-info'
import { getSession } from './get-session'

/** Answers a request as a run of its own: whatever is called meanwhile finds the application and, when it asks, this request's session. */
export const withRequestRun = <T>(event: H3Event, work: () => T): T =>
  withRun(
    {
      app: getApp(event),
      session: () => getSession(event),
      get clientAddress() {
        return requestInfo(event).clientAddress
      },
    },
    work,
  )
