import { getRouterParam } from 'h3'
import { audited } from '#server/domains/audit'
import { disconnectApp } from '#server/domains/oauth-server'
import { requireSession } from '#server/domains/sessions'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'

export default defineMethods({
  DELETE: audited('end-own-grant', async event =>
    disconnectApp(getApp(event), await requireSession(event), getRouterParam(event, 'id') ?? ''),
  ),
})
