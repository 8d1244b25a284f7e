import { hasLocalMigrationHook } from '#fw/local-migration'
import { callHook, countLocalData, moveLocalData, requireRealPerson } from '#fairway/server/domains/sessions'
import { checkOrgOpens } from '#fairway/server/domains/organizations'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'

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
