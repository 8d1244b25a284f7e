import { endOtherDevices, listDevices } from '#fairway/server/domains/sessions'
import { defineMethods } from '#fairway/server/kernel/http/methods'

export default defineMethods({
  GET: async event => ({ sessions: await listDevices(event) }),
  DELETE: async event => ({ ended: await endOtherDevices(event) }),
})
