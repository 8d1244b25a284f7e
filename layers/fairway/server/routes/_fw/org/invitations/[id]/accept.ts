import { getRouterParam } from 'h3'
import { audited, auditIn } from '#fairway/server/domains/actions'
import { acceptInvitation, orgInput } from '#fairway/server/domains/organizations'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'

export default defineMethods({
  POST: audited('accept-invitation', async event => {
    const session = await requireSession(event)
    const input = await readInput(event, orgInput.accept)
    const answer = { id: getRouterParam(event, 'id') ?? '', ...input, sessionId: session.id }
    const accepted = await acceptInvitation(getApp(event), session, answer)
    auditIn(event, accepted.joined.id)
    return accepted
  }),
})
