import { setResponseStatus } from 'h3'
import { useStorage } from 'nitropack/runtime'
import { holdsRefusedDevAccount } from '#fairway/server/domains/people'
import { getApp } from '#fairway/server/kernel/app-context'
import { loadShippedMigrations } from '#fairway/server/kernel/database/migrations'
import { readiness } from '#fairway/server/kernel/database/migrate'
import { isStopping } from '#fairway/server/kernel/background'
import { defineMethods } from '#fairway/server/kernel/http/methods'

/** Returns whether the process can serve: the database answers, all migrations are applied, and it is not about to stop. */
export default defineMethods({
  openIn: ['signed-out', 'setup', 'view'],
  async GET(event) {
    const app = getApp(event)
    const answer = await readiness(app, await loadShippedMigrations(useStorage), isStopping(app))
    if (answer.status !== 'ready') setResponseStatus(event, 503)
    else if (await holdsRefusedDevAccount(app)) answer.checks.devAccount = 'refused'
    return answer
  },
})
