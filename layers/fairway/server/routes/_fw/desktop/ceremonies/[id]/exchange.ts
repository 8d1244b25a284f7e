import { getRouterParam } from 'h3'
import { exchangeCeremony, isDesktopHub } from '#fairway/server/domains/oauth-server'
import { getSession } from '#fairway/server/domains/sessions'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { requestQuery, requestInfo } from '#fairway/server/kernel/http/request-info'

const VERIFIER_HEADER = 'x-fairway-verifier'

export default defineMethods(
  {
    openIn: ['signed-out'],
    async POST(event) {
      // Addresses are kept in logs and histories, so a value in the query may have been read already.
      if (requestQuery(event)) {
        throw new AppError('invalid-request', {
          detail: 'The verifier is sent in a header, and nothing in the address.',
        })
      }
      const { clientAddress, cookieHeader } = requestInfo(event)
      return exchangeCeremony(getApp(event), {
        id: getRouterParam(event, 'id') ?? '',
        verifier: String(event.node.req.headers[VERIFIER_HEADER] ?? ''),
        session: await getSession(event),
        cookieHeader,
        clientAddress,
        requestId: getRequestId(event),
      })
    },
  },
  { isThere: event => isDesktopHub(getApp(event)) },
)
