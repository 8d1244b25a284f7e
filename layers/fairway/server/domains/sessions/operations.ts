import { z } from 'zod'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { deviceSchema } from '#fairway/shared/schemas/device'
import { endDevice, endOtherDevices, listDevices } from './devices'

export default defineOperations({
  'list-devices': operation({
    description: 'Lists where you are signed in, this device first.',
    method: 'GET',
    path: '/_fw/sessions',
    output: z.object({ sessions: z.array(deviceSchema) }),
    run: async (_input, { event }) => ({ sessions: await listDevices(event) }),
  }),
  'end-other-devices': operation({
    description: 'Signs you out everywhere else.',
    method: 'DELETE',
    path: '/_fw/sessions',
    output: z.object({ ended: z.int() }),
    run: async (_input, { event }) => ({ ended: await endOtherDevices(event) }),
  }),
  'end-device': operation({
    description: 'Signs you out on one device.',
    method: 'DELETE',
    path: '/_fw/sessions/:id',
    run: ({ id }, { event }) => endDevice(event, id),
  }),
})
