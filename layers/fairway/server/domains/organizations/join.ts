import { confirmingStatements, provesAddressStatement } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { constantTimeEqual, sha256 } from '#fairway/server/kernel/crypto/hash'
import type { InStatement } from '#fairway/server/kernel/database/client'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { InvitationView, JoinedOrganization } from '#fairway/shared/schemas/organization'
import type { Session } from '#fairway/shared/schemas/session'
import { joinStatements, logMoves, moveStatements } from './active-org'
import { describeJoin, findMembership } from './switch-organization'
import { asInvited, copiedToken, findInvitations, type InvitationRow } from './invite'
import { checkNotKeptOut, isNotKeptOut } from './directory-membership'
import { corporateDomainOf, DOMAIN_HOLDS } from './domain-names'
import { INVITATION_IS_OPEN } from './org-context'

interface Answer {
  id: string
  /** The secret of the mailed link, which proves access to the mailbox, or that of a copied link. */
  token?: string
  /** The row of the session that responds; null when it is not a Fairway session. */
  sessionId?: string | null
}

/** Returns the invitation for the page behind its link; throws `not-found` for a person who lacks both link and address. */
export async function viewInvitation(app: App, session: Session, answer: Answer): Promise<InvitationView> {
  const row = await requireInvitation(app, session, answer)
  const closedAs = row.expiresAt <= app.now() ? 'expired' : 'ended'
  const status = row.status === 'pending' && !row.isOpen ? closedAs : row.status
  const { id, orgName, role, email } = row
  const isForYou = email === session.email.toLowerCase()
  return {
    id,
    orgName,
    role,
    email,
    status,
    isForYou,
    invitedBy: row.invitedBy,
    inviter: isForYou ? asInvited(row.inviter) : null,
    expiresAt: row.expiresAt.toISOString(),
  }
}

/**
 * Joins the organization. It becomes the active one if it is the first, or with `confirm`. Accepting twice returns the same
 * result. With `stays`, the person goes on working where they are. Throws `not-found` for another person's invitation, `email-not-verified` without proof of the address, and
 * `invitation-ended`.
 */
export async function acceptInvitation(
  app: App,
  session: Session,
  { stays = false, ...answer }: Answer & { confirm?: boolean; stays?: boolean },
): Promise<JoinedOrganization> {
  const row = await requireOwnInvitation(app, session, answer)
  await verifyEmail(app, session, row, answer)
  const results = await app.db.client.batch(
    acceptStatements(app, session.userId, row, Boolean(answer.confirm) && !stays),
    'write',
  )
  const [after] = await findInvitations(app, 'i.id = ?', [row.id])
  const membership = await findMembership(app, session.userId, row.orgId)
  if (after?.status !== 'accepted' || !membership) {
    await checkNotKeptOut(app, { orgId: row.orgId, userId: session.userId })
    throw new AppError('invitation-ended')
  }
  await logMoves(app, results, 'invitation accepted')
  return describeJoin(app, session, membership, { stays })
}

function acceptStatements(app: App, userId: string, { id, orgId }: InvitationRow, confirm: boolean): InStatement[] {
  const now = app.now().getTime()
  const isOpen = `i.id = ? and ${INVITATION_IS_OPEN} and ${isNotKeptOut('i.org_id', '?')}`
  const open = [id, now, userId]
  const isAccepted = { sql: `exists (select 1 from org_invitations where id = ? and status = 'accepted')`, args: [id] }
  return [
    ...joinStatements(userId, orgId, {
      sql: `exists (select 1 from org_invitations i where ${isOpen})`,
      args: open,
    }),
    {
      sql: `insert into org_members (org_id, user_id, role, joined_at) select i.org_id, ?, i.role, ? from org_invitations i
        where ${isOpen} on conflict do nothing`,
      args: [userId, now, ...open],
    },
    { sql: `update org_invitations as i set status = 'accepted' where ${isOpen}`, args: open },
    ...(confirm ? moveStatements(userId, orgId, isAccepted) : []),
  ]
}

/**
 * Declines an invitation and returns the id of its organization. Declining twice has no further effect. Throws `not-found` and
 * `invitation-ended`.
 */
export async function declineInvitation(app: App, session: Session, answer: Answer): Promise<string> {
  const row = await requireOwnInvitation(app, session, answer)
  if (row.status === 'declined') return row.orgId
  const { rowsAffected } = await app.db.client.execute({
    sql: `update org_invitations set status = 'declined' where id = ? and status = 'pending'`,
    args: [row.id],
  })
  if (rowsAffected === 0) throw new AppError('invitation-ended')
  return row.orgId
}

/** Returns the open invitation behind a link, for a browser that is not signed in; undefined for every other link. */
export async function findOpenInvitation(
  app: App,
  { id, token }: { id: string; token: string },
): Promise<(InvitationRow & { provesAddress: boolean }) | undefined> {
  const [row] = await findInvitations(app, 'i.id = ?', [id])
  if (!row?.isOpen) return undefined
  const provesAddress = hasMailedLink(row, token)
  return provesAddress || hasCopiedLink(app, row, token) ? { ...row, provesAddress } : undefined
}

async function requireOwnInvitation(app: App, session: Session, answer: Answer): Promise<InvitationRow> {
  const row = await requireInvitation(app, session, answer)
  if (row.email !== session.email.toLowerCase()) throw new AppError('not-found')
  return row
}

async function requireInvitation(app: App, session: Session, { id, token }: Answer): Promise<InvitationRow> {
  const [row] = await findInvitations(app, 'i.id = ?', [id])
  if (!row) throw new AppError('not-found')
  const isKnown =
    row.email === session.email.toLowerCase() || hasMailedLink(row, token) || hasCopiedLink(app, row, token)
  if (!isKnown) throw new AppError('not-found')
  return row
}

const hasMailedLink = (row: InvitationRow, token: string | undefined): boolean =>
  token !== undefined && constantTimeEqual(sha256(token), row.tokenHash)

const hasCopiedLink = (app: App, row: InvitationRow, token: string | undefined): boolean =>
  token !== undefined && !app.mailer.isReady && constantTimeEqual(token, copiedToken(app, row))

// A person who opens the mailed link has access to the mailbox, as a confirmation email would prove.
async function verifyEmail(app: App, session: Session, row: InvitationRow, answer: Answer): Promise<void> {
  if (session.emailVerified) return
  const { token, sessionId = null } = answer
  if (hasMailedLink(row, token)) {
    // This session now counts as one that proved the address, and may decide an open claim of the account.
    const proved = provesAddressStatement(sessionId, session.userId)
    const user = { sql: 'id = ?', args: [session.userId] }
    await app.db.client.batch([proved, ...confirmingStatements(app, user)], 'write')
    return
  }
  if (!app.config.signIn.acceptsUnverified && !hasCopiedLink(app, row, token)) {
    throw new AppError('email-not-verified', { detail: 'Open the link in the mail that invited you.' })
  }
}

const MATCHES = `
  select o.id as id, o.name as name from organizations o where o.allowed_domain = ? and ${DOMAIN_HOLDS}
  and not exists (select 1 from org_members m where m.org_id = o.id and m.user_id = ?)`

/** Lists the organizations that this person's address allows to join once it is confirmed; none for free-mail addresses. */
export async function findDomainMatches(app: App, session: Session): Promise<{ id: string; name: string }[]> {
  const domain = corporateDomainOf(session.email)
  if (!domain) return []
  return app.db.prepareRead<{ id: string; name: string }>(MATCHES)([domain, session.userId])
}

/**
 * Joins an organization as a member, by the domain of a verified address. It becomes the active one if it is the first, or with
 * `confirm`. Joining twice has no further effect. Throws `email-not-verified`, `forbidden` and `directory-removed`.
 */
export async function joinByDomain(
  app: App,
  session: Session,
  { orgId, confirm, stays = false }: { orgId: string; confirm: boolean; stays?: boolean },
): Promise<JoinedOrganization> {
  const domain = corporateDomainOf(session.email)
  if (!session.emailVerified) throw new AppError('email-not-verified')
  if (!domain) throw new AppError('forbidden')
  const isOpen = {
    sql: `exists (select 1 from organizations o where o.id = ? and o.allowed_domain = ? and ${DOMAIN_HOLDS}
      and ${isNotKeptOut('o.id', '?')})`,
    args: [orgId, domain, session.userId],
  }
  const results = await app.db.client.batch(
    [
      ...joinStatements(session.userId, orgId, isOpen),
      {
        sql: `insert into org_members (org_id, user_id, role, joined_at) select ?, ?, 'member', ? where ${isOpen.sql}
          on conflict do nothing`,
        args: [orgId, session.userId, app.now().getTime(), ...isOpen.args],
      },
      ...(confirm && !stays ? moveStatements(session.userId, orgId) : []),
    ],
    'write',
  )
  const membership = await findMembership(app, session.userId, orgId)
  if (!membership) {
    await checkNotKeptOut(app, { orgId, userId: session.userId })
    throw new AppError('forbidden', { detail: 'Your address does not belong to this organization.' })
  }
  await logMoves(app, results, 'joined by domain')
  app.log.info('member joined by domain', { orgId, userId: session.userId })
  return describeJoin(app, session, membership, { stays })
}
