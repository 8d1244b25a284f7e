import { and, eq, sql } from 'drizzle-orm'
import {
  languageOfPerson,
  personJoin,
  personOfSession,
  signalInbox,
  shownPersonSql,
  toShownPerson,
} from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { messagesOf, offered } from '#fairway/server/kernel/messages'
import { parseInput } from '#fairway/server/kernel/http/read-input'
import { hmac, sha256 } from '#fairway/server/kernel/crypto/hash'
import { newId, randomToken } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { managesRole, type OrgRole } from '#fairway/shared/roles'
import type { ErrorCode } from '#fairway/shared/errors'
import { emailSchema } from '#fairway/shared/schemas/email'
import type { InvitationResult, InvitationView, ListedInvitation } from '#fairway/shared/schemas/organization'
import type { ShownPerson } from '#fairway/shared/schemas/person'
import type { Session } from '#fairway/shared/schemas/session'
import { INVITATION_PAGE } from '#fairway/shared/paths'
import { rateLimit } from '../../kernel/limits/rate-limit'
import { limits } from '../../kernel/limits/limits'
import { checkMayGive, INVITATION_IS_OPEN, type Actor } from './org-context'
import { orgInvitations } from './tables'
import { mailName } from './mail-name'
import { findMember } from './member-list'
import { mailContent } from '../../kernel/mail/mail-content'
import { findUnsent, queueMail } from '../../kernel/mail/queue-mail'

const LIFE_IN_MS = 7 * 24 * 60 * 60 * 1000

export interface Invited extends InvitationResult {
  failed: { email: string; code: ErrorCode }[]
}

interface InvitationInput {
  email: string
  role: OrgRole
}

/**
 * Invites each address; a pending invitation is renewed with a new link. Addresses that fail are listed, and the others are still
 * invited. Throws `email-not-verified`, and `rate-limited` when the limits of account, network or organization allow none.
 */
export async function invite(
  app: App,
  actor: Actor,
  inputs: InvitationInput[],
  clientAddress?: string,
): Promise<Invited> {
  checkMayInvite(app, actor)
  const result: Invited = { invited: [], failed: [] }
  const limited: AppError[] = []
  for (const input of inputs) {
    try {
      const email = parseInput(emailSchema, input.email)
      await countInvitation(app, actor, clientAddress)
      result.invited.push(await inviteOne(app, actor, { ...input, email }))
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error
      result.failed.push({ email: input.email, code: error.code })
      if (error.code === 'rate-limited') limited.push(error)
    }
  }
  // A response that lists addresses cannot carry a `retry-after` time.
  if (limited[0] && limited.length === inputs.length) throw limited[0]
  return result
}

/** True when an invitation would be emailed in the name of a person whose own address is unconfirmed. */
export const mustConfirmToInvite = (app: App, session: Session): boolean =>
  app.mailer.isRemote && !session.emailVerified

/** Throws `email-not-verified` when a mail to a stranger would be sent in the name of an unconfirmed address. */
export function checkMayInvite(app: App, { session }: Actor): void {
  if (!mustConfirmToInvite(app, session)) return
  throw new AppError('email-not-verified', {
    detail: 'Invitations are sent in the name of confirmed addresses only. Open a link that was mailed to yours first.',
  })
}

/** Counts one email to a stranger. The command line has no network. */
export async function countInvitation(app: App, actor: Actor, clientAddress: string | undefined): Promise<void> {
  await rateLimit(app, limits.invitationsPerAccount, actor.userId)
  if (clientAddress) await rateLimit(app, limits.invitationsPerAddress, addressKey(clientAddress))
  await rateLimit(app, limits.invitationsPerOrg, actor.orgId)
}

/** Invites one address; throws `already-a-member`, and `forbidden` and `fresh-session-required` like `checkMayGive`. */
async function inviteOne(
  app: App,
  actor: Actor,
  { email, role }: InvitationInput,
): Promise<InvitationResult['invited'][number]> {
  const { session } = actor
  await checkMayGive(actor, role)
  await refuseMember(app, actor.orgId, email)
  const token = randomToken(32)
  const now = app.now()
  const expiresAt = new Date(now.getTime() + LIFE_IN_MS)
  const renewed = { role, invitedBy: actor.userId, tokenHash: sha256(token), expiresAt }
  const [row] = await app.db.orm
    .insert(orgInvitations)
    .values({ id: newId(), orgId: actor.orgId, email, status: 'pending', createdAt: now, ...renewed })
    .onConflictDoUpdate({
      target: [orgInvitations.orgId, orgInvitations.email],
      targetWhere: sql`status = 'pending'`,
      set: renewed,
    })
    .returning({ id: orgInvitations.id })
  if (!row) throw new AppError('conflict')
  await signalInbox(app, email)
  const invitedBy = mailName(session.name, session.email)
  const mail = { id: row.id, token, email, role, orgName: actor.orgName, invitedBy, inviterId: actor.userId }
  const { emailError, mailId } = await sendInvitationMail(app, mail)
  await app.db.orm
    .update(orgInvitations)
    .set({ mailId: mailId ?? null })
    .where(eq(orgInvitations.id, row.id))
  app.log.info('invitation made', { orgId: actor.orgId, by: actor.userId, invitationId: row.id, role })
  const link = copiedLink(app, actor, { id: row.id, email, role, expiresAt })
  const named = { invitedBy: session.name, inviter: personOfSession(session) }
  const pending = { id: row.id, email, role, ...named, expiresAt: expiresAt.toISOString(), link }
  return { ...pending, emailSent: !emailError, ...(emailError ? { emailError } : {}) }
}

/**
 * Resends a pending invitation with a new link and invalidates the old one; throws `not-found`, `email-not-verified` and
 * `rate-limited`.
 */
export async function resendInvitation(app: App, actor: Actor, id: string, clientAddress?: string): Promise<void> {
  checkMayInvite(app, actor)
  const [row] = await app.db.orm.select().from(orgInvitations).where(isPendingOf(actor.orgId, id))
  if (!row) throw new AppError('not-found')
  await countInvitation(app, actor, clientAddress)
  const { emailSent } = await inviteOne(app, actor, row)
  if (!emailSent) throw new AppError('unavailable', { cause: 'the mail was not sent' })
}

/** Revokes a pending invitation; its link stops working. Throws `not-found`. */
export async function revokeInvitation(app: App, actor: Actor, id: string): Promise<void> {
  const revoked = await app.db.orm
    .update(orgInvitations)
    .set({ status: 'revoked' })
    .where(isPendingOf(actor.orgId, id))
    .returning({ email: orgInvitations.email })
  if (!revoked[0]) throw new AppError('not-found')
  await signalInbox(app, revoked[0].email)
}

/** Lists the pending invitations with the state of their emails, for owners and admins. */
export async function listPendingInvitations(app: App, actor: Actor): Promise<ListedInvitation[]> {
  // Managers also see invitations whose inviter lost the right, so that they can resend or revoke them.
  const isPending = `i.org_id = ? and i.status = 'pending' and i.expires_at > ?`
  const rows = await findInvitations(app, isPending, [actor.orgId, app.now().getTime()])
  const ids = rows.flatMap(({ mailId }) => mailId ?? [])
  const unsent = await findUnsent(app, ids)
  const left = { mailState: app.mailer.isReady ? 'sent' : 'none', mailFault: null } as const
  return rows.map(({ id, email, role, invitedBy, inviter, expiresAt, mailId }) => ({
    ...(unsent.get(mailId ?? '') ?? left),
    id,
    email,
    role,
    invitedBy,
    inviter,
    expiresAt: expiresAt.toISOString(),
    link: copiedLink(app, actor, { id, email, role, expiresAt }),
  }))
}

/**
 * The secret in the link that owners and admins copy when no email can be sent. Its recipient may join with an account of the
 * invited address, which cannot be confirmed here. It proves no address.
 */
export const copiedToken = (
  app: App,
  { id, email, expiresAt }: Pick<InvitationRow, 'id' | 'email' | 'expiresAt'>,
): string => hmac(app.config.keys.current('copied-invitation').secret, JSON.stringify([id, email, expiresAt.getTime()]))

type CopiedInvitation = Pick<InvitationRow, 'id' | 'email' | 'role' | 'expiresAt'>

/**
 * The link that owners and admins copy. When email works, it contains no secret and requires a confirmed address. A member who
 * may not grant a role never gets its secret, because they could create an account with that address themselves.
 */
function copiedLink(app: App, { role: inviterRole }: Actor, invitation: CopiedInvitation): string {
  const link = linkOf(app, invitation.id)
  if (!app.mailer.isReady && managesRole(inviterRole, invitation.role))
    link.searchParams.set('token', copiedToken(app, invitation))
  return link.href
}

function linkOf(app: App, id: string): URL {
  const link = new URL(INVITATION_PAGE, app.config.baseUrl)
  link.searchParams.set('id', id)
  return link
}

/** An invitation with the names of its organization and its inviter. */
export interface InvitationRow {
  id: string
  orgId: string
  orgName: string
  email: string
  role: OrgRole
  status: Exclude<InvitationView['status'], 'ended'>
  tokenHash: string
  expiresAt: Date
  /** The inviter's name, else their address; empty when the account is deleted. */
  invitedBy: string
  inviter: ShownPerson | null
  /** Whether it can be accepted now. */
  isOpen: boolean
  /** Its email, while the outbox has it. */
  mailId: string | null
}

/** The inviter as the invited person sees them, who may not load pictures of the organization's members. */
export const asInvited = (inviter: ShownPerson | null): ShownPerson | null => inviter && { ...inviter, image: null }

/** Finds the invitations (`i`) that match a condition, oldest first. */
export async function findInvitations(
  app: App,
  condition: string,
  args: (string | number)[],
): Promise<InvitationRow[]> {
  const find = app.db.prepareRead<
    Omit<InvitationRow, 'expiresAt' | 'isOpen' | 'inviter'> & {
      expiresAt: number
      isOpen: number
      inviter: string | null
    }
  >(
    `select i.id as id, i.org_id as orgId, o.name as orgName, i.email as email, i.role as role, i.status as status,
        i.token_hash as tokenHash, i.mail_id as mailId, i.expires_at as expiresAt, coalesce(nullif(u.name, ''), u.email, '') as invitedBy,
        ${shownPersonSql()} as inviter, ${INVITATION_IS_OPEN} as isOpen
      from org_invitations i join organizations o on o.id = i.org_id left ${personJoin('i.invited_by')}
      where ${condition} order by i.created_at, i.id`,
  )
  const rows = await find([app.now().getTime(), ...args])
  return rows.map(row => ({
    ...row,
    inviter: toShownPerson(row.inviter),
    expiresAt: new Date(row.expiresAt),
    isOpen: row.isOpen === 1,
  }))
}

const isPendingOf = (orgId: string, id: string) =>
  and(eq(orgInvitations.id, id), eq(orgInvitations.orgId, orgId), eq(orgInvitations.status, 'pending'))

async function refuseMember(app: App, orgId: string, email: string): Promise<void> {
  if (await findMember(app, orgId, email)) throw new AppError('already-a-member')
}

interface InvitationMail {
  id: string
  token: string
  email: string
  role: OrgRole
  orgName: string
  invitedBy: string
  inviterId: string
}

/** The id of a queued email, or why it was not queued. */
interface SentInvitation {
  mailId?: string
  emailError?: 'no-mail-server'
}

/** Queues the email with an invitation's link. A mail server that is slow or refuses it does not delay or lose the invitation. */
async function sendInvitationMail(app: App, mail: InvitationMail): Promise<SentInvitation> {
  if (!app.mailer.isReady) return { emailError: 'no-mail-server' }
  const link = linkOf(app, mail.id)
  link.searchParams.set('token', mail.token)
  const { invitedBy, orgName, email, inviterId } = mail
  const organization = mailName(orgName, app.config.name)
  // An unknown recipient gets the email in the inviter's language.
  const known = (await languageOfPerson(app, { email })) ?? (await languageOfPerson(app, { userId: inviterId }))
  const language = known ?? offered.defaultLanguage
  const role = messagesOf(language).mailWords.roles[mail.role]
  const values = { invitedBy, organization, role, email }
  return { mailId: await queueMail(app, email, mailContent(app, 'invitation', { values, href: link.href, language })) }
}
