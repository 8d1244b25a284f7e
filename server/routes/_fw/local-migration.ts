import { hasLocalMigrationHook } from '#fw/local-migration'
import { callHook, countLocalData, moveLocalData, requireRealPerson } from '#server/domains/local-migration'
import { checkOrgOpens } from '#server/domains/organizations'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'

export default defineMethods({
  async GET(event) {
    return countLocalData(getApp(event), await requireRealPerson(event))
  },
  async POST(event) {
    const session = await requireRealPerson(event)
    checkOrgOpens(session)
    const { isHookDue, people, ...move } = await moveLocalData(getApp(event), session, {
      hasHook: hasLocalMigrationHook,
    })
    return { ...move, hook: isHookDue ? await callHook(event, people) : { state: 'none' } }
  },
})
