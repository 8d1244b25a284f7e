import { setResponseStatus } from 'h3'
import { audited } from '#fairway/server/domains/actions'
import { requireRecentSignIn } from '#fairway/server/domains/sessions'
import { createWebhook, knownTypes, listWebhooks, webhookInput } from '#fairway/server/domains/webhooks'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput, readQuery } from '#fairway/server/kernel/http/read-input'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit } from '#fairway/server/kernel/limits/rate-limit'
import { auditedNames } from '#fairway/server/audited-names'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  GET: signedIn(async ({ app, session, event }) => {
    const { scope } = readQuery(event, webhookInput.list)
    return { webhooks: await listWebhooks(app, session, scope), types: knownTypes(scope, auditedNames) }
  }),
  POST: audited(
    'create-webhook',
    signedIn(async ({ app, session, event }) => {
      await rateLimit(app, limits.webhookChangesPerAccount, session.userId)
      const input = await readInput(event, webhookInput.create)
      const made = await createWebhook(app, await requireRecentSignIn(event), input, auditedNames)
      setResponseStatus(event, 201)
      return made
    }),
  ),
})
