import { getRouterParam } from 'h3'
import { audited } from '#fairway/server/domains/audit'
import { disconnectApp } from '#fairway/server/domains/oauth-server'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/foundation/app-context'
import { defineMethods } from '#fairway/server/foundation/http/methods'

export default defineMethods({
  DELETE: audited('end-own-grant', async event =>
    disconnectApp(getApp(event), await requireSession(event), getRouterParam(event, 'id') ?? ''),
  ),
})
