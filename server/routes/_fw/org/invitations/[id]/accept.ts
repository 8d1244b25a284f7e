import { audited } from '#server/domains/audit'
import { getRouterParam } from 'h3'
import { acceptInvitation, orgInput } from '#server/domains/organizations'
import { requireSession, sessionIdOf } from '#server/domains/sessions'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'
import { readInput } from '#server/foundation/http/read-input'

export default defineMethods({
  POST: audited('accept-invitation', async event => {
    const session = await requireSession(event)
    const input = await readInput(event, orgInput.accept)
    const answer = { id: getRouterParam(event, 'id') ?? '', ...input, sessionId: await sessionIdOf(event) }
    return acceptInvitation(getApp(event), session, answer)
  }),
})
