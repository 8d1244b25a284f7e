import { audited } from '#server/domains/audit'
import { getAuthProvider, orgInput, planAuthProvider, setAuthProvider } from '#server/domains/organizations'
import { requireSession } from '#server/domains/sessions'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'
import { readInput, readQuery } from '#server/foundation/http/read-input'

export default defineMethods({
  async GET(event) {
    return getAuthProvider(getApp(event), await requireSession(event))
  },
  PUT: audited('set-auth-provider', async event => {
    const session = await requireSession(event)
    const { dryRun } = readQuery(event, orgInput.dryRun)
    const input = await readInput(event, orgInput.authProvider)
    const isDryRun = dryRun === 'true' || dryRun === '1'
    return isDryRun ? planAuthProvider(getApp(event), session, input) : setAuthProvider(getApp(event), session, input)
  }),
})
