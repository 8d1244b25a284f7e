import { endOtherDevices, listDevices } from '#server/domains/sessions'
import { defineMethods } from '#server/foundation/http/methods'

export default defineMethods({
  GET: async event => ({ sessions: await listDevices(event) }),
  DELETE: async event => ({ ended: await endOtherDevices(event) }),
})
