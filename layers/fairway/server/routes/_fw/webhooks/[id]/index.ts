import { audited } from '#fairway/server/domains/actions'
import { requireRecentSignIn } from '#fairway/server/domains/sessions'
import { changeWebhook, deleteWebhook, requireWebhook, webhookInput } from '#fairway/server/domains/webhooks'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'
import { auditedNames } from '#fairway/server/audited-names'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  PATCH: audited(
    'change-webhook',
    signedIn(async ({ app, session, event, param }) => {
      const webhook = await requireWebhook(app, session, param('id'))
      const input = await readInput(event, webhookInput.change)
      // Whoever has a browser for a moment must not lead what happens elsewhere.
      if (input.url !== undefined) await requireRecentSignIn(event)
      await changeWebhook(app, session, webhook, input, auditedNames)
    }),
  ),
  DELETE: audited(
    'delete-webhook',
    signedIn(async ({ app, session, param }) => deleteWebhook(app, await requireWebhook(app, session, param('id')))),
  ),
})
