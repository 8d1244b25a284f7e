import { logMoves, MEMBERSHIP_ENDED } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { recordSecurityEvent } from '../../../kernel/security-events/record-security-event'
import { answeredStatement, onlyMeStatements } from './only-me'
import { type ClaimAnswer, type ClaimVisit, findOpenClaim } from './show-claim'

interface DecidingVisit extends ClaimVisit {
  form: Record<string, string>
  requestId: string
}

/**
 * Carries out what the owner of the address decided, in one transaction, and once: of any number of answers at once one counts, and
 * all go on. Throws `invalid-request` for another decision.
 */
export async function decideClaim(app: App, visit: DecidingVisit): Promise<ClaimAnswer> {
  const found = await findOpenClaim(app, visit)
  if (!('claimant' in found)) return found
  const { claimant } = found
  const { decision } = visit.form
  if (decision !== 'only-me' && decision !== 'all-mine') {
    throw new AppError('invalid-request', { detail: 'The decision is only-me or all-mine.' })
  }
  const statements = decision === 'only-me' ? onlyMeStatements(app, claimant) : [answeredStatement(claimant)]
  const results = await app.db.client.batch(statements, 'write')
  if (results.at(-1)?.rowsAffected === 1) await record(app, visit, claimant.userId, decision)
  await logMoves(app, results, MEMBERSHIP_ENDED)
  return { location: visit.returnPath }
}

async function record(app: App, { requestId }: DecidingVisit, userId: string, decision: 'only-me' | 'all-mine') {
  app.log.info('the owner of an address said whose the account is', { userId, decision, requestId })
  if (decision === 'all-mine') return
  await recordSecurityEvent(app, { kind: 'account-claimed', userId, requestId, reason: decision })
}
