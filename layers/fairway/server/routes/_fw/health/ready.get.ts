import { defineEventHandler, setResponseStatus } from 'h3'
import { useStorage } from 'nitropack/runtime'
import { holdsRefusedDevAccount } from '#fairway/server/domains/accounts'
import { getApp } from '#fairway/server/foundation/app-context'
import { loadShippedMigrations } from '#fairway/server/foundation/database/load-migrations'
import { readiness } from '#fairway/server/foundation/database/readiness'
import { isStopping } from '#fairway/server/foundation/stopping'

/** The process can do its work: the database answers, no migration is missing, and it is not about to stop. */
export default defineEventHandler(async event => {
  const app = getApp(event)
  const answer = await readiness(app, await loadShippedMigrations(useStorage), isStopping(app))
  if (answer.status !== 'ready') setResponseStatus(event, 503)
  else if (await holdsRefusedDevAccount(app)) answer.checks.devAccount = 'refused'
  return answer
})
