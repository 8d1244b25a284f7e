import { audited } from '#fairway/server/domains/audit'
import { orgInput, requireOrg, transferOwnership } from '#fairway/server/domains/organizations'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/foundation/app-context'
import { defineMethods } from '#fairway/server/foundation/http/methods'
import { readInput } from '#fairway/server/foundation/http/read-input'

export default defineMethods({
  POST: audited('transfer-ownership', async event => {
    const actor = requireOrg(await requireSession(event), 'transfer-ownership')
    const { email } = await readInput(event, orgInput.transfer)
    await transferOwnership(getApp(event), actor, email)
  }),
})
