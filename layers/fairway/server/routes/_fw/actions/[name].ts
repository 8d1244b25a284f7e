import { defineEventHandler, getRouterParam } from 'h3'
import { catalog } from '#fw/actions'
import { answerActionRequest } from '#fairway/server/domains/actions'
import { withPersonalToken } from '#fairway/server/domains/mcp'

const actions = new Map(catalog.map(({ name, action }) => [name, action]))

export default defineEventHandler(event => {
  const name = getRouterParam(event, 'name') ?? ''
  const action = actions.get(name)
  return withPersonalToken(event, action, session => answerActionRequest(event, name, action, session))
})
