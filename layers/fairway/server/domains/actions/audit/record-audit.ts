import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { countMetric } from '#fairway/server/kernel/events/metrics'
import { errorCatalog } from '#fairway/shared/errors'
import type { AuditCaller, AuditOutcome } from '#fairway/shared/schemas/audit'
import type { Session } from '#fairway/shared/schemas/session'
import { type AuditedInput, keptInput } from './kept-input'
import { markUnsealed } from './seal-audit-log'
import { auditLog } from '../tables'
import { writeDenial } from './write-denial'

export interface AuditEntry extends AuditedInput {
  action: string
  /** By which surface something was done. */
  caller: AuditCaller
  /** The host, the peer or the tool behind the surface. */
  via?: string
  session: Session | null
  requestId: string
  error?: unknown
}

/**
 * Writes one audit row, or counts it: what has no session, in a metric, and repeated denials of one person, in one row. A recorder
 * that fails is logged and never changes the outcome of the action.
 */
export async function recordAudit(app: App, entry: AuditEntry): Promise<void> {
  const { action, caller, via = null, session, requestId, error } = entry
  const errorCode = error === undefined ? null : error instanceof AppError ? error.code : 'internal'
  const outcome = outcomeOf(errorCode)
  // Who has no session could fill a table of which nothing is ever deleted.
  if (!session) return countMetric(app, METRIC, 'Audited calls without a session.', { action, caller, outcome })
  try {
    const { userId, email: userEmail } = session
    const orgId = session.orgId ?? session.closedOrg?.id ?? null
    const who = { caller, via, userId, userEmail, orgId }
    const row = { id: newId(), at: app.now(), action, ...who, outcome, errorCode, requestId, input: keptInput(entry) }
    await (outcome === 'denied' ? writeDenial(app, row) : app.db.orm.insert(auditLog).values(row))
    markUnsealed(app)
  } catch (cause) {
    app.log.error('audit row could not be written', { action, requestId, error: cause })
  }
}

const METRIC = 'fairway_calls_without_session_total'

function outcomeOf(code: keyof typeof errorCatalog | null): AuditOutcome {
  if (code === null) return 'ok'
  if (isDenial(code)) return 'denied'
  return 'asks' in errorCatalog[code] ? 'asked' : 'failed'
}

const DENIALS = ['unauthenticated', 'forbidden', 'provider-required']

/** Whether this refusal says that the caller may not do it. */
export const isDenial = (code: string): boolean => DENIALS.includes(code)
