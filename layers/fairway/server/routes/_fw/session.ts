import { endSession, getSession } from '#fairway/server/domains/sessions'
import { defineMethods } from '#fairway/server/kernel/http/methods'

export default defineMethods({
  openIn: { GET: ['signed-out', 'setup', 'view'], DELETE: ['signed-out', 'setup', 'view-as-operator'] },
  GET: async event => ({ session: await getSession(event) }),
  DELETE: endSession,
})
