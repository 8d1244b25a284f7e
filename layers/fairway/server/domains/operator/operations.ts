import { BACKUP_ACTION, defineOperations, lastDoneAt, operation } from '#fairway/server/domains/actions'
import { countOrganizations } from '#fairway/server/domains/organizations'
import { countPeople } from '#fairway/server/domains/people'
import { healthSchema, settingsSchema } from '#fairway/shared/schemas/operator'
import { findHealth } from './health'
import { listSettings } from './settings'

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
