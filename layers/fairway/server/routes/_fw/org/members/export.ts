import { audited } from '#fairway/server/domains/actions'
import { exportMembers, orgInput, requireOrg } from '#fairway/server/domains/organizations'
import { sendExport } from '#fairway/server/kernel/export-rows'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readQuery } from '#fairway/server/kernel/http/read-input'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  GET: audited(
    'export-members',
    signedIn(({ app, session, event }) => {
      const { orgId } = requireOrg(session, 'export-members')
      const { format, search, role: roles } = readQuery(event, orgInput.exportMembers)
      return sendExport(event, exportMembers(app, orgId, { search, roles }, format), { name: 'members', format })
    }),
  ),
})
