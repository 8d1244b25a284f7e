import { defineEventHandler, getRouterParam, setResponseHeader, setResponseStatus } from 'h3'
import { catalog } from '#fw/actions'
import { allowedMethods, answerActionRequest } from '#fairway/server/domains/actions'

const actions = new Map(catalog.map(({ name, action }) => [name, action]))

export default defineEventHandler(event => {
  const name = getRouterParam(event, 'name') ?? ''
  const action = actions.get(name)
  if (event.method === 'OPTIONS' && action?.http) {
    setResponseHeader(event, 'allow', allowedMethods(action).join(', '))
    setResponseStatus(event, 204)
    return null
  }
  return answerActionRequest(event, name, actions)
})
