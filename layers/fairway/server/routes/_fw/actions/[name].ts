import { getRouterParam } from 'h3'
import { catalog } from '#fw/actions'
import { answerActionRequest } from '#fairway/server/domains/actions'
import { withActionToken } from '#fairway/server/domains/mcp'
import { defineRoute } from '#fairway/server/kernel/http/methods'

const actions = new Map(catalog.map(({ name, action }) => [name, action]))

export default defineRoute([], event => {
  const name = getRouterParam(event, 'name') ?? ''
  const action = actions.get(name)
  if (!action) return answerActionRequest(event, name, action)
  return withActionToken(event, { name, action }, token => answerActionRequest(event, name, action, token))
})
