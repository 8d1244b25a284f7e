import { listPasskeys } from '#fairway/server/domains/passkeys'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/foundation/app-context'
import { defineMethods } from '#fairway/server/foundation/http/methods'

export default defineMethods({
  async GET(event) {
    const { userId } = await requireSession(event)
    return { passkeys: await listPasskeys(getApp(event), userId) }
  },
})
