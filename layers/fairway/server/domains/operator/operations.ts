import { BACKUP_ACTION, defineOperations, lastDoneAt, operation } from '#fairway/server/domains/actions'
import { countOrganizations } from '#fairway/server/domains/organizations'
import { countPeople } from '#fairway/server/domains/people'
import { healthSchema, settingsSchema, type Health } from '#fairway/shared/schemas/operator'
import { listSettings } from './settings'
import { statfs } from 'node:fs/promises'
import { z } from 'zod'
import { isoTimeOrNull } from '#fairway/server/kernel/iso-time'
import type { App } from '#fairway/server/kernel/app-context'
import { countJobs } from '#fairway/server/kernel/jobs'
import { countMails } from '#fairway/server/kernel/mail/queue-mail'
import { VERSION } from '#fairway/shared/package'

export default defineOperations({
  'show-health': operation({
    description: 'Shows the health of this installation: versions, storage, newest backup, jobs and emails.',
    method: 'GET',
    path: '/_fw/operator/health',
    permission: 'operator',
    output: healthSchema,
    run: async (_input, { app }) => ({
      ...(await findHealth(app)),
      backupAt: (await lastDoneAt(app, BACKUP_ACTION))?.toISOString() ?? null,
      people: await countPeople(app),
      organizations: await countOrganizations(app),
    }),
  }),
  'list-settings': operation({
    description: 'Lists the settings of the environment as they are in effect, without secrets.',
    method: 'GET',
    path: '/_fw/operator/settings',
    permission: 'operator',
    output: settingsSchema,
    run: (_input, { app }) => ({ settings: listSettings(app.env) }),
  }),
})

const storedSchema = z.object({
  bytes: z.number(),
  count: z.number(),
  newest: z.string().nullable(),
})

const STORED = `select
  (select page_count * page_size from pragma_page_count, pragma_page_size) as bytes,
  (select count(*) from fw_migrations) as count,
  (select max(name) from fw_migrations) as newest`

/** Returns the health of this installation: versions, storage, the queue and the outbox. */
async function findHealth(app: App): Promise<Omit<Health, 'people' | 'organizations' | 'backupAt'>> {
  const { rows } = await app.db.client.execute(STORED)
  const { bytes, ...migrations } = storedSchema.parse(rows[0])
  const { oldestDueAt, ...jobs } = await countJobs(app)
  return {
    version: VERSION,
    node: process.version,
    startedAt: new Date(Date.now() - process.uptime() * 1000).toISOString(),
    database: { bytes, fault: app.db.storageFault() ?? null },
    disk: await freeSpace(app),
    migrations,
    jobs: { ...jobs, oldestDueAt: isoTimeOrNull(oldestDueAt) },
    mails: { ...(await countMails(app)), isSet: app.mailer.isReady },
  }
}

/** The space on the disk with the data folder, in bytes; null when the folder does not exist. */
async function freeSpace({ env }: App): Promise<Health['disk']> {
  const disk = await statfs(env.FW_DATA_DIR || '.data').catch(() => undefined)
  return disk ? { free: disk.bavail * disk.bsize, total: disk.blocks * disk.bsize } : null
}
