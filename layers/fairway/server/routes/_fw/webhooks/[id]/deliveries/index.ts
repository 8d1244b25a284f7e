import { deliveryInput, listDeliveries, requireWebhook } from '#fairway/server/domains/webhooks'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readQuery } from '#fairway/server/kernel/http/read-input'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  GET: signedIn(async ({ app, session, event, param }) =>
    listDeliveries(app, await requireWebhook(app, session, param('id')), readQuery(event, deliveryInput.list)),
  ),
})
