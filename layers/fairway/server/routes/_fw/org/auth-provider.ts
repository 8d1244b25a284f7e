import type { H3Event } from 'h3'
import { audited } from '#fairway/server/domains/actions'
import { getAuthProvider, orgInput, planAuthProvider, setAuthProvider } from '#fairway/server/domains/organizations'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput, readQuery } from '#fairway/server/kernel/http/read-input'

async function plan(event: H3Event) {
  const session = await requireSession(event)
  return planAuthProvider(getApp(event), session, await readInput(event, orgInput.authProvider))
}

const set = audited('set-auth-provider', async event => {
  const session = await requireSession(event)
  return setAuthProvider(getApp(event), session, await readInput(event, orgInput.authProvider))
})

export default defineMethods({
  async GET(event) {
    return getAuthProvider(getApp(event), await requireSession(event))
  },
  async PUT(event) {
    const { dryRun } = readQuery(event, orgInput.dryRun)
    return dryRun === 'true' || dryRun === '1' ? plan(event) : set(event)
  },
})
