import { audited } from '#fairway/server/domains/actions'
import { joinByDomain, orgInput } from '#fairway/server/domains/organizations'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'

export default defineMethods({
  POST: audited('join-organization', async event => {
    const session = await requireSession(event)
    return joinByDomain(getApp(event), session, await readInput(event, orgInput.join))
  }),
})
