import { notifyByTopic } from '#fairway/server/domains/mails'
import { claimAccessReviews } from '#fairway/server/domains/oauth-server'
import { listManagers, orgUrl } from '#fairway/server/domains/organizations'
import { requireRun } from '#fairway/server/kernel/current-run'
import { defineJob } from '#fairway/server/kernel/jobs'
import { ORGANIZATION_APPS_PAGE } from '#fairway/shared/paths'

/** Longer lists are for the page. */
const MOST_CONNECTIONS = 30

const EVERYTHING = 'everything' as const

export default defineJob({
  description: 'Tells owners once a month which connected apps and API tokens did not use what they may.',
  schedule: '47 6 * * *',
  timeout: 30 * 60,
  async run() {
    const { app } = requireRun()
    let mailed = 0
    for await (const { orgId, orgName: organization, grants } of claimAccessReviews(app)) {
      const connections = grants.slice(0, MOST_CONNECTIONS).map(({ clientName, name, isIdle, unused }) => ({
        app: clientName,
        person: name,
        unused: isIdle ? [EVERYTHING] : unused.map(part => (part === 'mcp:write' ? 'write' : part)),
      }))
      const addresses = await listManagers(app, orgId, ['owner'])
      await notifyByTopic(app, { orgId, addresses }, 'unused-access', {
        values: { organization, connections },
        href: await orgUrl(app, orgId, ORGANIZATION_APPS_PAGE),
      })
      mailed += 1
    }
    return { mailed }
  },
})
