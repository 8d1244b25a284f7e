import { getRouterParam } from 'h3'
import { endDevice } from '#server/domains/sessions'
import { defineMethods } from '#server/foundation/http/methods'

export default defineMethods({
  DELETE: event => endDevice(event, getRouterParam(event, 'id') ?? ''),
})
