import { getRouterParam } from 'h3'
import { audited } from '#fairway/server/domains/actions'
import { disconnectApp } from '#fairway/server/domains/oauth-server'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'

export default defineMethods({
  DELETE: audited('end-own-grant', async event =>
    disconnectApp(getApp(event), await requireSession(event), getRouterParam(event, 'id') ?? ''),
  ),
})
