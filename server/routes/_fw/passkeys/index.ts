import { listPasskeys } from '#server/domains/passkeys'
import { requireSession } from '#server/domains/sessions'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'

export default defineMethods({
  async GET(event) {
    const { userId } = await requireSession(event)
    return { passkeys: await listPasskeys(getApp(event), userId) }
  },
})
