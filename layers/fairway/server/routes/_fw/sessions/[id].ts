import { getRouterParam } from 'h3'
import { endDevice } from '#fairway/server/domains/sessions'
import { defineMethods } from '#fairway/server/kernel/http/methods'

export default defineMethods({
  DELETE: event => endDevice(event, getRouterParam(event, 'id') ?? ''),
})
