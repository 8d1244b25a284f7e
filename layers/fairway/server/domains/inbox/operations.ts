import { z } from 'zod'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { readNotifications } from '#fairway/server/domains/people'
import { inboxCountSchema, inboxSchema } from '#fairway/shared/schemas/inbox'
import { countInbox, readInbox } from './inbox'

export default defineOperations({
  'list-inbox': operation({
    description: 'Lists what waits for you, and your notifications, newest first, 30 per page.',
    method: 'GET',
    path: '/_fw/inbox',
    openIn: ['view'],
    input: z.object({ cursor: z.string().max(100).optional() }),
    output: inboxSchema,
    run: ({ cursor }, { app, session }) => readInbox(app, session, cursor),
  }),
  'count-inbox': operation({
    description: 'Counts what waits for you, and your unread notifications.',
    method: 'GET',
    path: '/_fw/inbox/count',
    openIn: ['view'],
    output: inboxCountSchema,
    run: (_input, { app, session }) => countInbox(app, session),
  }),
  'read-notifications': operation({
    description: 'Marks notifications as read: those with these IDs, or all.',
    method: 'POST',
    path: '/_fw/inbox/read',
    input: z.object({ ids: z.array(z.string().max(100)).max(100).optional() }),
    run: ({ ids }, { app, session }) => readNotifications(app, session.userId, ids),
  }),
})
