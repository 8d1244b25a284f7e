import { audited } from '#fairway/server/domains/actions'
import { replayDelivery, requireWebhook } from '#fairway/server/domains/webhooks'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit } from '#fairway/server/kernel/limits/rate-limit'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  POST: audited(
    'replay-webhook',
    signedIn(async ({ app, session, param }) => {
      const webhook = await requireWebhook(app, session, param('id'))
      await rateLimit(app, limits.webhookChangesPerAccount, session.userId)
      await replayDelivery(app, webhook, param('delivery'))
    }),
  ),
})
