import { requireRun } from '#fairway/server/kernel/current-run'
import { declaredJobs, defineJob, refreshTimeZones } from '#fairway/server/kernel/jobs'

export default defineJob({
  description: 'Asks for the time zone of each organization, for schedules whose `timeZone` is a function.',
  schedule: '*/10 * * * *',
  timeout: 60 * 60,
  run(_input, { signal }) {
    const { app } = requireRun()
    return refreshTimeZones(app, declaredJobs(app), signal)
  },
})
