import { audited } from '#fairway/server/domains/actions'
import { orgInput, requireOrg, transferOwnership } from '#fairway/server/domains/organizations'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'

export default defineMethods({
  POST: audited('transfer-ownership', async event => {
    const actor = requireOrg(await requireSession(event), 'transfer-ownership')
    const { email } = await readInput(event, orgInput.transfer)
    await transferOwnership(getApp(event), actor, email)
  }),
})
