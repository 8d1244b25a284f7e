import { getRouterParam } from 'h3'
import { audited } from '#fairway/server/domains/actions'
import { changeMemberRole, orgInput, removeMember, requireOrg } from '#fairway/server/domains/organizations'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'

export default defineMethods({
  PATCH: audited('change-member-role', async event => {
    const actor = requireOrg(await requireSession(event), 'change-member-role')
    const { role } = await readInput(event, orgInput.changeRole)
    const email = getRouterParam(event, 'email', { decode: true }) ?? ''
    return { member: await changeMemberRole(getApp(event), actor, email, role) }
  }),
  DELETE: audited('remove-member', async event => {
    const actor = requireOrg(await requireSession(event), 'remove-member')
    await removeMember(getApp(event), actor, getRouterParam(event, 'email', { decode: true }) ?? '')
  }),
})
