import { getRouterParam } from 'h3'
import { audited } from '#fairway/server/domains/actions'
import { unlinkAccount } from '#fairway/server/domains/sign-in'
import { requireRecentSignIn } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'

export default defineMethods({
  DELETE: audited('unlink-account', async event => {
    const { userId, id: sessionId } = await requireRecentSignIn(event)
    await unlinkAccount(getApp(event), { userId, sessionId }, getRouterParam(event, 'id') ?? '')
  }),
})
