import {
  checkDueDomains,
  tellEndingKeys,
  tellEndingSecrets,
  tellInheritors,
} from '#fairway/server/domains/organizations'
import { requireRun } from '#fairway/server/kernel/current-run'
import { defineJob } from '#fairway/server/kernel/jobs'

export default defineJob({
  description:
    'Looks once a day whether proved domains still have their DNS records; tells owners of secrets and keys that end soon.',
  schedule: '23 * * * *',
  timeout: 30 * 60,
  async run() {
    const { app } = requireRun()
    const told = (await tellEndingSecrets(app)) + (await tellEndingKeys(app)) + (await tellInheritors(app))
    return { told, ...(await checkDueDomains(app)) }
  },
})
