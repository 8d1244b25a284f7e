// Claims an account that was used before its address was proved: the page that asks the owner, and the effects of the decision.
import {
  findHandedOver,
  logMoves,
  MEMBERSHIP_ENDED,
  removeBroughtInStatements,
  writeOwnedRows,
} from '#fairway/server/domains/organizations'
import { endEmailLinksStatement, endGrantsOf, endSessionsStatements } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import type { TableOfRows } from '#fairway/server/kernel/owned-rows'
import type { InStatement, InValue } from '#fairway/server/kernel/database/client'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { notePage } from '#fairway/server/kernel/server-page/note-page'
import type { BrowserAnswer } from '#fairway/server/kernel/server-page/send-answer'
import { claimPathFor, signInPathFor } from '#fairway/shared/sign-in-path'
import type { Session } from '#fairway/shared/schemas/session'
import type { Language } from '#fairway/shared/languages'
import { fill, messagesOf } from '#fairway/server/kernel/messages'
import { type DependentRows, isoTime } from '#fairway/server/kernel/dependent-rows'
import { endOneTimeStatement } from '#fairway/server/kernel/one-time/one-time'
import { recordSecurityEvent } from '../../../kernel/security-events/record-security-event'
import { type Claimant, OWN_PROOF, readClaimContents } from './claim-contents'
import { claimPage } from './claim-page'
import { passkeyChallenge } from '../passkeys/ceremony'
import { waitingSignIn } from '../two-factor/second-factor'

/** One visit to the claim page. */
interface ClaimVisit {
  session: Session | null
  sessionId: string | null
  /** The destination after the decision. */
  returnPath: string
  language: Language
}

/**
 * The claim page. Redirects when the account is already claimed. A session that has not proved the address gets no details of
 * the account.
 */
export async function showClaim(app: App, visit: ClaimVisit): Promise<BrowserAnswer> {
  const claim = await findOpenClaim(app, visit)
  if (!('claimant' in claim)) return claim
  const { claimant, session } = claim
  const contents = await readClaimContents(app, claimant, visit.language)
  return { page: await claimPage(app, { ...visit, email: session.email, contents }) }
}

/** The person who may decide, or the page or redirect for everyone else. */
async function findOpenClaim(
  app: App,
  visit: ClaimVisit,
): Promise<BrowserAnswer | { claimant: Claimant; session: Session }> {
  const { session, sessionId, returnPath } = visit
  if (!session) return { location: signInPathFor({ returnPath: claimPathFor(returnPath) }) }
  const { userId, email } = session
  if (session.mayClaim) return { claimant: { userId, email, sessionId }, session }
  const { rows } = await app.db.client.execute({
    sql: 'select 1 from users where id = ? and claim_since is not null',
    args: [userId],
  })
  return rows.length > 0 ? refusedPage(app, session, visit) : { location: returnPath }
}

async function refusedPage(app: App, { email }: Session, { returnPath, language }: ClaimVisit): Promise<BrowserAnswer> {
  const texts = messagesOf(language).claim
  const href = signInPathFor({ returnPath: claimPathFor(returnPath), again: true })
  const page = await notePage(app, {
    title: texts.refusedTitle,
    lead: fill(texts.refusedLead, { email }),
    link: { href, text: texts.signIn },
    code: 'claim-needs-proof',
    language,
  })
  return { page, status: 403 }
}

interface DecidingVisit extends ClaimVisit {
  form: Record<string, string>
  requestId: string
}

/**
 * Applies the owner's decision once, in one transaction. Of several concurrent requests one takes effect, and all redirect.
 * Throws `invalid-request` for an unknown decision.
 */
export async function decideClaim(app: App, visit: DecidingVisit): Promise<BrowserAnswer> {
  const claim = await findOpenClaim(app, visit)
  if (!('claimant' in claim)) return claim
  const { claimant } = claim
  const { decision } = visit.form
  if (decision !== 'only-me' && decision !== 'all-mine') {
    throw new AppError('invalid-request', { detail: 'The decision is only-me or all-mine.' })
  }
  const statements =
    decision === 'only-me'
      ? onlyMeStatements(app, claimant, await findHandedOver(app.db.client))
      : [answeredStatement(claimant)]
  const results = await writeOwnedRows(app, statements)
  if (results.at(-1)?.rowsAffected === 1) await record(app, visit, claimant.userId, decision)
  await logMoves(app, results, MEMBERSHIP_ENDED)
  return { location: visit.returnPath }
}

async function record(app: App, { requestId }: DecidingVisit, userId: string, decision: 'only-me' | 'all-mine') {
  app.log.info('the owner of an address said whose the account is', { userId, decision, requestId })
  if (decision === 'all-mine') return
  await recordSecurityEvent(app, { kind: 'account-claimed', userId, requestId, reason: decision })
}

/** The condition that the account is unclaimed and that the deciding session still exists and proved the address. */
const isOpenFor = ({ userId, sessionId }: Claimant): { sql: string; args: InValue[] } => ({
  sql: `exists (select 1 from users where id = ? and claim_since is not null) and (? is null or exists (
    select 1 from sessions where id = ? and user_id = ? and proves_address = 1))`,
  args: [userId, sessionId, sessionId, userId],
})

/** The statements of “Remove other access”. They change nothing for a claimed account; the final one marks it as claimed. */
function onlyMeStatements(app: App, claimant: Claimant, tables: readonly TableOfRows[]): InStatement[] {
  const { userId, email, sessionId } = claimant
  const when = isOpenFor(claimant)
  const whileOpen = (sql: string, args: InValue[]): InStatement => ({
    sql: `${sql} and ${when.sql}`,
    args: [...args, ...when.args],
  })
  return [
    whileOpen(`delete from accounts where user_id = ? and not ${OWN_PROOF}`, [userId, sessionId]),
    ...app.dependents
      .flatMap(rows => rows.leftByStranger?.(app, { userId, sessionId }) ?? [])
      .map(({ sql, args }) => whileOpen(sql, args)),
    endEmailLinksStatement(app, email, when),
    ...removeBroughtInStatements(app, { userId, when, tables }),
    ...endGrantsOf(app, { userId, reason: 'claimed', when }),
    ...endSessionsStatements(app, { userId, when, except: { sql: 'id is ?', args: [sessionId] } }),
    answeredStatement(claimant),
  ]
}

/** The statement that marks the account as claimed. Of several concurrent requests, one changes the row. */
function answeredStatement(claimant: Claimant): InStatement {
  const when = isOpenFor(claimant)
  return {
    sql: `update users set claim_since = null where id = ? and ${when.sql}`,
    args: [claimant.userId, ...when.args],
  }
}

/** Passkeys and second factors are signs of earlier use. They are deleted when the owner removes other access. */
export const signInRows: DependentRows = {
  uses: userId => ['passkeys', 'two_factor'].map(table => `select 1 from ${table} w where w.user_id = ${userId}`),
  leftByStranger: (app, { userId }) => [
    { sql: 'delete from passkeys where user_id = ?', args: [userId] },
    // This also deletes the backup codes.
    { sql: 'delete from two_factor where user_id = ?', args: [userId] },
    endOneTimeStatement(app, [passkeyChallenge, waitingSignIn], userId),
  ],
  ofPerson: ({ userId }) => ({
    passkeys: {
      sql: `select name, backed_up as backedUp, ${isoTime('created_at')} as createdAt, ${isoTime('last_used_at')} as lastUsedAt
        from passkeys where user_id = ? order by created_at`,
      args: [userId],
    },
    twoFactor: {
      sql: `select ${isoTime('active_at')} as activeSince from two_factor where user_id = ?`,
      args: [userId],
    },
  }),
  forgetPerson: ({ userId }) =>
    ['passkeys', 'two_factor_backup_codes', 'two_factor'].map(table => ({
      sql: `delete from ${table} where user_id = ?`,
      args: [userId],
    })),
}
