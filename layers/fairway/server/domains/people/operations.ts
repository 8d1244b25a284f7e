import { Readable } from 'node:stream'
import { z } from 'zod'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { storeFile } from '#fairway/server/domains/files'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { pagingShape } from '#fairway/server/kernel/database/read-page'
import { exportShape } from '#fairway/server/kernel/export-rows'
import { readBytes } from '#fairway/server/kernel/http/read-input'
import { bodyLimits, limits } from '#fairway/server/kernel/limits/limits'
import {
  eventCounts,
  eventFilterShape,
  exportSecurityEvents,
  listAlerts,
  listOwnEvents,
  listSecurityEvents,
} from '#fairway/server/kernel/security-events/list-security-events'
import {
  alertsSchema,
  eventCountsSchema,
  ownEventPageSchema,
  securityEventPageSchema,
} from '#fairway/shared/schemas/security-event'
import { findPersonId } from './person'
import { withAccounts } from './shown-person'
import { removePicture, setPicture } from './pictures'
import { PICTURE_UPLOAD } from './tables'

/** Browsers shrink a picture to much less before the upload. */
const MOST_PIXELS = 16_000_000
const PICTURE = {
  name: PICTURE_UPLOAD,
  upload: { accept: ['image/webp', 'image/jpeg', 'image/png'], maxPixels: MOST_PIXELS },
}

export default defineOperations({
  'change-picture': operation({
    description: 'Sets your picture. The body is the bytes of the picture.',
    method: 'PUT',
    path: '/_fw/account/picture',
    openIn: ['setup'],
    limit: limits.picturesPerAccount,
    reads: 'image/*',
    output: z.object({ image: z.string() }),
    audit: [],
    async run(_input, { app, session, event }) {
      // With the application's own sign-in, the application sets the picture.
      if (app.config.customSignIn) throw new AppError('sign-in-elsewhere')
      const bytes = await readBytes(event, { maxBytes: bodyLimits.picture })
      // A picture belongs to the person, not to the active organization.
      const owner = { userId: session.userId, orgId: null }
      const about = { name: 'picture', size: bytes.length, entry: PICTURE, owner }
      const { id } = await storeFile(app, Readable.from([bytes]).iterator(), about)
      return { image: await setPicture(app, session.userId, id) }
    },
  }),
  'remove-picture': operation({
    description: 'Removes your picture.',
    method: 'DELETE',
    path: '/_fw/account/picture',
    openIn: ['setup'],
    audit: [],
    run: (_input, { app, session }) => removePicture(app, session.userId),
  }),
  'list-own-security-events': operation({
    description: 'Lists the security events of your account, newest first.',
    method: 'GET',
    path: '/_fw/security-events/mine',
    openIn: ['setup', 'view'],
    input: z.object(pagingShape),
    output: ownEventPageSchema,
    run: (paging, { app, session }) => listOwnEvents(app, session.userId, paging),
  }),
  'list-security-events': operation({
    description: 'Lists the security events of the installation, newest first.',
    method: 'GET',
    path: '/_fw/security-events',
    permission: 'operator',
    input: z.object({ ...eventFilterShape, ...pagingShape }),
    output: securityEventPageSchema,
    async run({ person, ...filter }, { app }) {
      const userId = await findPersonId(app, person)
      const { events, ...total } = await listSecurityEvents(app, { ...filter, userId })
      const named = await withAccounts(app, events)
      const withNames = named.map(event => ({
        ...event,
        email: event.person?.email ?? null,
        name: event.person?.name ?? null,
      }))
      return { events: withNames, ...total }
    },
  }),
  'count-security-events': operation({
    description: 'Counts the security events of the last hours, by hour and kind.',
    method: 'GET',
    path: '/_fw/security-events/counts',
    permission: 'operator',
    input: z.object({ hours: z.coerce.number().int().min(1).max(720).default(48) }),
    output: eventCountsSchema,
    run: ({ hours }, { app }) => eventCounts(app, hours),
  }),
  'export-security-events': operation({
    description: 'Returns the security events of the installation as a file, oldest first.',
    method: 'GET',
    path: '/_fw/security-events/export',
    permission: 'operator',
    input: z.object({ ...eventFilterShape, ...exportShape }),
    output: 'file',
    audit: ['format', 'from', 'until'],
    run: async ({ person, ...query }, { app }) =>
      exportSecurityEvents(app, { ...query, userId: await findPersonId(app, person) }),
  }),
  'list-alerts': operation({
    description: 'Lists the hours of the last 30 days in which a kind of security event exceeded its threshold.',
    method: 'GET',
    path: '/_fw/alerts',
    permission: 'operator',
    output: alertsSchema,
    run: async (_input, { app }) => ({ alerts: await listAlerts(app) }),
  }),
})
