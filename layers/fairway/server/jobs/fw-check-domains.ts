import { checkDueDomains } from '#fairway/server/domains/organizations'
import { requireRun } from '#fairway/server/kernel/current-run'
import { defineJob } from '#fairway/server/kernel/jobs'

export default defineJob({
  description: 'Looks once a day whether the DNS records of proved domains are still there.',
  schedule: '23 * * * *',
  timeout: 30 * 60,
  run: () => checkDueDomains(requireRun().app),
})
