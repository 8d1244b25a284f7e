import { operations } from '#fw/operations'
import { serveOperations } from '#fairway/server/domains/actions'
import { withPersonalToken } from '#fairway/server/domains/mcp'
import { OPERATOR_SCOPE } from '#fairway/shared/scopes'
import { redirectToProvider } from './start-connection'

/** Serves every operation of the platform; the build mounts it at their exact paths. */
export default serveOperations(operations, {
  withToken: (event, answer, write) => withPersonalToken(event, OPERATOR_SCOPE, answer, write),
  pages: { '/_fw/connections/:provider': redirectToProvider },
})
