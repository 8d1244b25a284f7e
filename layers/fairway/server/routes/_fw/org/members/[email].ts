import { getRouterParam, type H3Event } from 'h3'
import { audited } from '#fairway/server/domains/actions'
import { changeMemberRole, orgInput, removeMember, requireOrg } from '#fairway/server/domains/organizations'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'
import { signedIn } from '#fairway/server/signed-in'

const emailOf = (event: H3Event): string => getRouterParam(event, 'email', { decode: true }) ?? ''

export default defineMethods({
  PATCH: audited(
    'change-member-role',
    signedIn(async ({ app, session, event }) => {
      const actor = requireOrg(session, 'change-member-role')
      const { role } = await readInput(event, orgInput.changeRole)
      return { member: await changeMemberRole(app, actor, emailOf(event), role) }
    }),
  ),
  DELETE: audited(
    'remove-member',
    signedIn(({ app, session, event }) => removeMember(app, requireOrg(session, 'remove-member'), emailOf(event))),
  ),
})
