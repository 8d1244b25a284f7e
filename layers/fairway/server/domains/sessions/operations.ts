import { z } from 'zod'
import { hasLocalMigrationHook } from '#fw/local-migration'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { checkOrgOpens } from '#fairway/server/domains/organizations'
import { deviceSchema, localDataSchema, localMoveSchema } from '#fairway/shared/schemas/account'
import { endDevice, endOtherDevices, listDevices } from './devices'
import { endView } from './view-as'
import { countLocalData, moveLocalData } from './local-migration/move-local-data'
import { callHook, requireRealPerson } from './local-migration/template-hook'

export default defineOperations({
  'list-devices': operation({
    description: 'Lists the devices where you are signed in, this one first.',
    method: 'GET',
    path: '/_fw/sessions',
    openIn: ['setup', 'view'],
    output: z.object({ sessions: z.array(deviceSchema) }),
    run: async (_input, { event }) => ({ sessions: await listDevices(event) }),
  }),
  'end-other-devices': operation({
    description: 'Signs you out of your other devices.',
    method: 'DELETE',
    path: '/_fw/sessions',
    openIn: ['setup'],
    output: z.object({ ended: z.int() }),
    run: async (_input, { event }) => ({ ended: await endOtherDevices(event) }),
  }),
  'end-device': operation({
    description: 'Signs you out on one device.',
    method: 'DELETE',
    path: '/_fw/sessions/:id',
    openIn: ['setup'],
    run: ({ id }, { event }) => endDevice(event, id),
  }),
  'end-view': operation({
    description: 'Stops viewing the application as another person.',
    method: 'DELETE',
    path: '/_fw/view',
    openIn: ['view-as-operator'],
    audit: [],
    run: (_input, { event }) => endView(event),
  }),
  'count-local-data': operation({
    description: 'Counts the rows that were created on this server without an account and that you can take over.',
    method: 'GET',
    path: '/_fw/local-migration',
    openIn: ['view'],
    output: localDataSchema,
    run: async (_input, { app, event }) => countLocalData(app, await requireRealPerson(event)),
  }),
  'move-local-data': operation({
    description: 'Moves the rows that were created on this server without an account to yours.',
    method: 'POST',
    path: '/_fw/local-migration',
    output: localMoveSchema,
    async run(_input, { app, event }) {
      const session = await requireRealPerson(event)
      checkOrgOpens(session)
      const { isHookDue, people, ...move } = await moveLocalData(app, session, { hasHook: hasLocalMigrationHook })
      return { ...move, hook: isHookDue ? await callHook(event, people) : { state: 'none' as const } }
    },
  }),
})
