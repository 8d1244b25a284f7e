import { getRouterParam } from 'h3'
import { audited } from '#server/domains/audit'
import { disconnectOrgApp } from '#server/domains/oauth-server'
import { requireSession } from '#server/domains/sessions'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'

export default defineMethods({
  DELETE: audited('end-grant', async event =>
    disconnectOrgApp(getApp(event), await requireSession(event), getRouterParam(event, 'id') ?? ''),
  ),
})
