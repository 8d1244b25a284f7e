import { setResponseStatus } from 'h3'
import { audited, auditIn } from '#fairway/server/domains/actions'
import {
  createOrganization,
  deleteOrganization,
  findDetails,
  getOverview,
  orgInput,
  requireOrg,
  updateOrganization,
} from '#fairway/server/domains/organizations'
import { freshSession, requireRecentSignIn } from '#fairway/server/domains/sessions'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  GET: signedIn(({ app, session }) => getOverview(app, session)),
  POST: audited(
    'create-organization',
    signedIn(async ({ app, session, event }) => {
      const organization = await createOrganization(app, session, await readInput(event, orgInput.create))
      auditIn(event, organization.id)
      setResponseStatus(event, 201)
      return organization
    }),
  ),
  PATCH: audited(
    'update-organization',
    signedIn(async ({ app, session, event }) => {
      await updateOrganization(app, session, await readInput(event, orgInput.update))
      return findDetails(app, await freshSession(event))
    }),
  ),
  DELETE: audited(
    'delete-organization',
    signedIn(async ({ app, session, event }) => {
      const actor = requireOrg(session, 'delete-organization')
      await requireRecentSignIn(event)
      const { name } = await readInput(event, orgInput.remove)
      return { nextOrgId: await deleteOrganization(app, session, actor, name) }
    }),
  ),
})
