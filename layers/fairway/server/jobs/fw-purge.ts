import { purgeUndo } from '#fairway/server/domains/actions'
import { purgeApprovals } from '#fairway/server/domains/agents'
import { purgeOAuth, purgeOAuthClients } from '#fairway/server/domains/oauth-server'
import { purgeFormerSlugs, purgeOrganizations, purgeServiceKeys } from '#fairway/server/domains/organizations'
import { purgeEmbedTokens } from '#fairway/server/domains/pages'
import { purgeAddressChanges, purgeNotifications, purgeSessions } from '#fairway/server/domains/people'
import { purgeSetupLinks } from '#fairway/server/domains/setup'
import { purgeWebhooks } from '#fairway/server/domains/webhooks'
import { requireRun } from '#fairway/server/kernel/current-run'
import { defineJob, purgeJobs } from '#fairway/server/kernel/jobs'
import { purgeRateLimits } from '#fairway/server/kernel/limits/rate-limit'
import { purgeMails } from '#fairway/server/kernel/mail/queue-mail'
import { purgeOneTime } from '#fairway/server/kernel/one-time/one-time'
import { purgeSecurityEvents } from '#fairway/server/kernel/security-events/record-security-event'

const PURGES = [
  purgeRateLimits,
  purgeOneTime,
  purgeSessions,
  purgeMails,
  purgeEmbedTokens,
  purgeOAuth,
  purgeOAuthClients,
  purgeServiceKeys,
  purgeSecurityEvents,
  purgeApprovals,
  purgeUndo,
  purgeAddressChanges,
  purgeNotifications,
  purgeWebhooks,
  purgeSetupLinks,
  purgeOrganizations,
  purgeFormerSlugs,
  purgeJobs,
]

export default defineJob({
  description: 'Deletes expired sessions, codes, counters, old events and deleted organizations.',
  schedule: '7 * * * *',
  timeout: 30 * 60,
  // A failed purge does not stop the others.
  async run(_input, { log }) {
    const { app } = requireRun()
    const failed: unknown[] = []
    for (const purge of PURGES) {
      await purge(app).catch((error: unknown) => {
        failed.push(error)
        log.error('housekeeping failed', { task: purge.name, error })
      })
    }
    if (failed.length > 0) throw new AggregateError(failed, `${failed.length} of ${PURGES.length} purges have failed.`)
  },
})
