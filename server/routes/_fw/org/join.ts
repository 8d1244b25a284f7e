import { audited } from '#server/domains/audit'
import { joinByDomain, orgInput } from '#server/domains/organizations'
import { requireSession } from '#server/domains/sessions'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'
import { readInput } from '#server/foundation/http/read-input'

export default defineMethods({
  POST: audited('join-organization', async event => {
    const session = await requireSession(event)
    return joinByDomain(getApp(event), session, await readInput(event, orgInput.join))
  }),
})
