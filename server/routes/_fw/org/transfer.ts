import { audited } from '#server/domains/audit'
import { orgInput, requireOrg, transferOwnership } from '#server/domains/organizations'
import { requireSession } from '#server/domains/sessions'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'
import { readInput } from '#server/foundation/http/read-input'

export default defineMethods({
  POST: audited('transfer-ownership', async event => {
    const actor = requireOrg(await requireSession(event), 'transfer-ownership')
    const { email } = await readInput(event, orgInput.transfer)
    await transferOwnership(getApp(event), actor, email)
  }),
})
