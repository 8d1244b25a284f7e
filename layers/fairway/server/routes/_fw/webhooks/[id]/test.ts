import { setResponseStatus } from 'h3'
import { audited } from '#fairway/server/domains/actions'
import { requireWebhook, sendTest } from '#fairway/server/domains/webhooks'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit } from '#fairway/server/kernel/limits/rate-limit'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  POST: audited(
    'test-webhook',
    signedIn(async ({ app, session, event, param }) => {
      const webhook = await requireWebhook(app, session, param('id'))
      await rateLimit(app, limits.webhookChangesPerAccount, session.userId)
      const sent = await sendTest(app, webhook)
      setResponseStatus(event, 202)
      return sent
    }),
  ),
})
