import { getRouterParams, type H3Event } from 'h3'
import { getSession } from '#fairway/server/domains/sessions'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { recordAudit } from './record-audit'

/**
 * What routes do that are no actions, with the fields of path, query and body that the row keeps. Owners and admins of the
 * organization that a person works in read the rows, so what a person does for themselves keeps ids alone.
 */
const operations = {
  'create-organization': ['name', 'confirm'],
  'update-organization': ['name', 'allowedDomain'],
  'delete-organization': [],
  'switch-organization': ['orgId', 'confirm'],
  'join-organization': ['orgId'],
  'leave-organization': [],
  'transfer-ownership': ['email'],
  'assign-app-role': ['appId', 'email', 'role'],
  'set-auth-provider': ['provider', 'confirm'],
  'invite-members': ['email', 'role', 'invitations'],
  'revoke-invitation': ['id'],
  'resend-invitation': ['id'],
  'accept-invitation': ['id'],
  'decline-invitation': ['id'],
  'change-member-role': ['email', 'role'],
  'remove-member': ['email'],
  'set-credential': ['key'],
  'delete-credential': ['key'],
  'set-own-credential': [],
  'delete-own-credential': [],
  'end-grant': ['id'],
  'end-own-grant': ['id'],
  'add-passkey': [],
  'rename-passkey': ['id'],
  'remove-passkey': ['id'],
  'switch-on-two-factor': [],
  'switch-off-two-factor': [],
  'renew-backup-codes': [],
  'export-audit-log': ['format', 'action', 'email', 'caller', 'outcome', 'from', 'until'],
  'export-security-events': ['format', 'from', 'until'],
} as const satisfies Record<string, readonly string[]>

/** A handler that leaves an audit row of this name, whatever comes of it: for routes that change or give away something and are no actions. */
export function audited<T>(
  action: keyof typeof operations,
  answer: (event: H3Event) => Promise<T>,
): (event: H3Event) => Promise<T> {
  return async event => {
    const session = await getSession(event)
    const record = (error?: unknown) => {
      const input = { ...getRouterParams(event, { decode: true }), ...event.context.input }
      const requestId = getRequestId(event)
      const keeps = operations[action]
      return recordAudit(getApp(event), { action, caller: 'http', session, requestId, input, keeps, error })
    }
    try {
      const result = await answer(event)
      await record()
      return result
    } catch (error) {
      await record(error)
      throw error
    }
  }
}
