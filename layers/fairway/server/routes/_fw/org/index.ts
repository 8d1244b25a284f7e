import { setResponseStatus } from 'h3'
import { audited } from '#fairway/server/domains/actions'
import {
  createOrganization,
  deleteOrganization,
  findDetails,
  getOverview,
  orgInput,
  requireOrg,
  updateOrganization,
} from '#fairway/server/domains/organizations'
import { freshSession, requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'

export default defineMethods({
  async GET(event) {
    return getOverview(getApp(event), await requireSession(event))
  },
  POST: audited('create-organization', async event => {
    const session = await requireSession(event)
    const organization = await createOrganization(getApp(event), session, await readInput(event, orgInput.create))
    setResponseStatus(event, 201)
    return organization
  }),
  PATCH: audited('update-organization', async event => {
    const session = await requireSession(event)
    await updateOrganization(getApp(event), session, await readInput(event, orgInput.update))
    return findDetails(getApp(event), await freshSession(event))
  }),
  DELETE: audited('delete-organization', async event => {
    const session = await requireSession(event)
    const { name } = await readInput(event, orgInput.remove)
    const actor = requireOrg(session, 'delete-organization')
    return { nextOrgId: await deleteOrganization(getApp(event), session, actor, name) }
  }),
})
