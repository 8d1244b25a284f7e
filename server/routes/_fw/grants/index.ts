import { listGrants } from '#server/domains/oauth-server'
import { requireSession } from '#server/domains/sessions'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'

export default defineMethods({
  GET: async event => ({ grants: await listGrants(getApp(event), await requireSession(event)) }),
})
