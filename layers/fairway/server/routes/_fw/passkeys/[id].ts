import { getRouterParam } from 'h3'
import { audited } from '#fairway/server/domains/actions'
import { passkeyInput, removePasskey, renamePasskey } from '#fairway/server/domains/sign-in'
import { requireRecentSignIn, requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'

export default defineMethods({
  PATCH: audited('rename-passkey', async event => {
    const { userId } = await requireSession(event)
    const { name } = await readInput(event, passkeyInput.rename)
    return { passkey: await renamePasskey(getApp(event), userId, getRouterParam(event, 'id') ?? '', name) }
  }),
  DELETE: audited('remove-passkey', async event => {
    const { userId } = await requireRecentSignIn(event)
    await removePasskey(getApp(event), userId, getRouterParam(event, 'id') ?? '')
  }),
})
