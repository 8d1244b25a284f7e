import { audited } from '#fairway/server/domains/actions'
import { orgInput } from '#fairway/server/domains/organizations'
import { deliveryInput, replaySince, requireWebhook } from '#fairway/server/domains/webhooks'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput, readQuery } from '#fairway/server/kernel/http/read-input'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit } from '#fairway/server/kernel/limits/rate-limit'
import { signedIn } from '#fairway/server/signed-in'

const replay = (dryRun: boolean) =>
  signedIn(async ({ app, session, event, param }) => {
    const webhook = await requireWebhook(app, session, param('id'))
    await rateLimit(app, limits.webhookChangesPerAccount, session.userId)
    return replaySince(app, webhook, await readInput(event, deliveryInput.replay), dryRun)
  })

const plan = replay(true)
const send = audited('replay-webhook', replay(false))

export default defineMethods({
  POST(event) {
    const { dryRun } = readQuery(event, orgInput.dryRun)
    return dryRun === 'true' || dryRun === '1' ? plan(event) : send(event)
  },
})
