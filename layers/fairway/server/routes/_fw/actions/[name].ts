import { getRouterParam } from 'h3'
import { catalog } from '#fw/actions'
import { answerActionRequest, scopeOfAction } from '#fairway/server/domains/actions'
import { withPersonalToken } from '#fairway/server/domains/mcp'
import { defineRoute } from '#fairway/server/kernel/http/methods'
import type { Session } from '#fairway/shared/schemas/session'

const actions = new Map(catalog.map(({ name, action }) => [name, action]))

export default defineRoute([], event => {
  const name = getRouterParam(event, 'name') ?? ''
  const action = actions.get(name)
  const answer = (session?: Session) => answerActionRequest(event, name, action, session)
  if (!action) return answer()
  const write = action.readOnly ? undefined : { action: name, schema: action.input, keeps: action.audit }
  return withPersonalToken(event, scopeOfAction(action), answer, write)
})
