import { getRouterParam } from 'h3'
import { passkeyInput, removePasskey, renamePasskey } from '#server/domains/passkeys'
import { requireRecentSignIn, requireSession } from '#server/domains/sessions'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'
import { readInput } from '#server/foundation/http/read-input'

export default defineMethods({
  async PATCH(event) {
    const { userId } = await requireSession(event)
    const { name } = await readInput(event, passkeyInput.rename)
    return { passkey: await renamePasskey(getApp(event), userId, getRouterParam(event, 'id') ?? '', name) }
  },
  async DELETE(event) {
    const { userId } = await requireRecentSignIn(event)
    await removePasskey(getApp(event), userId, getRouterParam(event, 'id') ?? '')
  },
})
