import { setResponseHeader } from 'h3'
import { z } from 'zod'
import { desktopAvailability, hasDesktopPart, setWorkspaceSso } from '#fairway/server/domains/oauth-server'
import { requireOperator } from '#fairway/server/domains/people'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'
import { requestInfo } from '#fairway/server/kernel/http/request-info'

export default defineMethods(
  {
    openIn: { GET: ['signed-out', 'setup'] },
    GET(event) {
      setResponseHeader(event, 'vary', 'User-Agent')
      return desktopAvailability(getApp(event), requestInfo(event).userAgent)
    },

    async PUT(event) {
      const app = getApp(event)
      const session = await requireSession(event)
      requireOperator(app, session)
      const { available } = await readInput(event, z.strictObject({ available: z.boolean() }))
      await setWorkspaceSso(app, available, session.userId)
      return desktopAvailability(app, requestInfo(event).userAgent)
    },
  },
  { isThere: event => hasDesktopPart(getApp(event), requestInfo(event).userAgent) },
)
