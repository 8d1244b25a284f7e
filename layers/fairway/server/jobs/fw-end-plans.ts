import { endPlans } from '#fairway/server/domains/plans'
import { requireRun } from '#fairway/server/kernel/current-run'
import { defineJob } from '#fairway/server/kernel/jobs'

export default defineJob({
  description: 'Brings organizations whose trial or plan has ended to the default plan.',
  schedule: '*/10 * * * *',
  run: () => endPlans(requireRun().app),
})
