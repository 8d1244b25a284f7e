import { defineEventHandler, getRouterParam } from 'h3'
import { catalog } from '#fw/actions'
import { answerActionRequest } from '#fairway/server/domains/actions'

const actions = new Map(catalog.map(({ name, action }) => [name, action]))

export default defineEventHandler(event => {
  const name = getRouterParam(event, 'name') ?? ''
  return answerActionRequest(event, name, actions.get(name))
})
