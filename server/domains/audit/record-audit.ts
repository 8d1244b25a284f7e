import type { App } from '#server/foundation/app-context'
import { newId } from '#server/foundation/crypto/random'
import { redact } from '#server/foundation/events/log'
import { AppError } from '#server/foundation/http/app-error'
import type { Session } from '#shared/schemas/session'
import { markUnsealed } from './seal-audit-log'
import { auditLog } from './tables'

/** By which surface something was done. */
export type AuditCaller = 'http' | 'mcp' | 'cli' | 'a2a'

export interface AuditEntry {
  action: string
  caller: AuditCaller
  /** The host, the peer or the tool behind the surface. */
  via?: string
  session: Session | null
  requestId: string
  input: unknown
  error?: unknown
}

const MOST_CHARACTERS = 8000
const MOST_IN_ONE_TEXT = 200

/** Writes one audit row; a recorder that fails is logged and never changes the outcome of the action. */
export async function recordAudit(app: App, entry: AuditEntry): Promise<void> {
  const { session, error } = entry
  const code = error === undefined ? null : error instanceof AppError ? error.code : 'internal'
  try {
    await app.db.orm.insert(auditLog).values({
      id: newId(),
      at: app.now(),
      action: entry.action,
      caller: entry.caller,
      via: entry.via ?? null,
      ...personOf(session),
      outcome: code === null ? 'ok' : isDenial(code) ? 'denied' : 'failed',
      errorCode: code,
      requestId: entry.requestId,
      input: toText(entry.input),
    })
    markUnsealed(app)
  } catch (cause) {
    app.log.error('audit row could not be written', { action: entry.action, requestId: entry.requestId, error: cause })
  }
}

const personOf = (session: Session | null) =>
  session
    ? { userId: session.userId, userEmail: session.email, orgId: session.orgId ?? session.closedOrg?.id ?? null }
    : { userId: null, userEmail: null, orgId: null }

const DENIALS = ['unauthenticated', 'forbidden', 'provider-required']

/** Whether this refusal says that the caller may not do it. */
export const isDenial = (code: string): boolean => DENIALS.includes(code)

function toText(input: unknown): string {
  const text = JSON.stringify(redact(input), (_name, value: unknown) =>
    typeof value === 'string' && value.length > MOST_IN_ONE_TEXT ? `${value.slice(0, MOST_IN_ONE_TEXT)}…` : value,
  )
  return (text ?? 'null').slice(0, MOST_CHARACTERS)
}
