import { audited } from '#fairway/server/domains/actions'
import { requireRecentSignIn } from '#fairway/server/domains/sessions'
import { renewSecret, requireWebhook, webhookInput } from '#fairway/server/domains/webhooks'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit } from '#fairway/server/kernel/limits/rate-limit'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  POST: audited(
    'renew-webhook-secret',
    signedIn(async ({ app, session, event, param }) => {
      const webhook = await requireWebhook(app, session, param('id'))
      await requireRecentSignIn(event)
      await rateLimit(app, limits.webhookChangesPerAccount, session.userId)
      return renewSecret(app, webhook, await readInput(event, webhookInput.renew))
    }),
  ),
})
