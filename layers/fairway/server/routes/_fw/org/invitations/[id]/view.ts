import { getRouterParam } from 'h3'
import { viewInvitation, orgInput } from '#fairway/server/domains/organizations'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'

export default defineMethods({
  async POST(event) {
    const session = await requireSession(event)
    const { token } = await readInput(event, orgInput.answer)
    return viewInvitation(getApp(event), session, { id: getRouterParam(event, 'id') ?? '', token })
  },
})
