import { appendResponseHeader, setResponseStatus } from 'h3'
import { beginCeremony, beginCeremonySchema, isDesktopHub } from '#fairway/server/domains/oauth-server'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'
import { requestInfo } from '#fairway/server/kernel/http/request-info'

export default defineMethods(
  {
    openIn: ['signed-out', 'setup'],
    async POST(event) {
      const app = getApp(event)
      const input = await readInput(event, beginCeremonySchema)
      const { ceremony, setCookie } = await beginCeremony(app, { ...input, ...requestInfo(event) })
      appendResponseHeader(event, 'set-cookie', setCookie)
      setResponseStatus(event, 201)
      return ceremony
    },
  },
  { isThere: event => isDesktopHub(getApp(event)) },
)
