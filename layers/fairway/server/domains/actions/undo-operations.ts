import { z } from 'zod'
import { catalog } from '#fw/actions'
import { checkOrgOpens } from '#fairway/server/domains/organizations'
import { hasRecentSignIn } from '#fairway/server/domains/sessions'
import { getRequestId } from '#fairway/server/kernel/app-context'
import { requestInfo } from '#fairway/server/kernel/http/request-info'
import { undoSchema } from '#fairway/shared/schemas/undo'
import { subjectsOf } from './audit/audit-subject'
import { defineOperations, operation, type OperationContext } from './operation'
import { type UndoFilter, undoCallsOf } from './undo/undo-calls'

export default defineOperations({
  'undo-call': operation({
    description: 'Undoes a call of the audit log.',
    method: 'POST',
    path: '/_fw/org/audit/:requestId/undo',
    output: undoSchema,
    dryRun: true,
    run: ({ requestId }, context) => undo(context, { requestId }),
  }),
  'undo-app-calls': operation({
    description: 'Undoes everything that an app did for a person since a time, newest first.',
    method: 'POST',
    path: '/_fw/undo',
    input: z.object({
      /** The app as the audit log names it: the client ID of a host. */
      via: z.string().min(1).max(2048),
      /** The person it acted for; you by default. */
      userId: z.string().max(64).optional(),
      since: z.iso.datetime(),
    }),
    output: undoSchema,
    dryRun: true,
    run: ({ via, userId = '', since }, context) =>
      undo(context, { via, userId: userId || context.session.userId, since: new Date(since) }),
  }),
})

async function undo({ app, event, session, isDryRun }: OperationContext, filter: UndoFilter) {
  checkOrgOpens(session)
  const calling = {
    session,
    requestId: getRequestId(event),
    clientAddress: requestInfo(event).clientAddress,
    hasRecentSignIn: () => hasRecentSignIn(event),
  }
  return undoCallsOf(app, calling, { subjects: subjectsOf(catalog), filter, isDryRun })
}
