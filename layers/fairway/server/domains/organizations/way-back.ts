// The way back for an owner whom the sign-in rule or the session policy keeps out: a mailed link that lifts it.
import { z } from 'zod'
import { mailPeople, notifyPeople } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit } from '#fairway/server/kernel/limits/rate-limit'
import { issueOneTime, type OneTimePurpose, spendOneTime } from '#fairway/server/kernel/one-time/one-time'
import { SINGLE_SIGN_ON_PAGE } from '#fairway/shared/paths'
import type { ClosedOrg, Session } from '#fairway/shared/schemas/session'
import { listManagers } from './members'
import { findClosed } from './opened-organizations'
import { findMembership } from './switch-organization'
import { orgUrl } from './org-slugs'

/** What keeps an owner out. */
const LIFTED = ['rule', 'policy'] as const
type Lifted = (typeof LIFTED)[number]

const wayBack: OneTimePurpose<{ orgId: string; lifts: Lifted }> = {
  name: 'org-way-back',
  lifeInSeconds: 10 * 60,
  payload: z.object({ orgId: z.string(), lifts: z.enum(LIFTED) }),
  mostPerSubject: 1,
}

const LIFT: Record<Lifted, string> = {
  rule: 'required_auth_provider = null, required_auth_domain = null, required_auth_guests = 0',
  policy: 'session_idle_minutes = null, session_max_hours = null, session_networks = null, session_policy_apps = 0',
}

/**
 * Mails an owner the link that lifts what keeps them out; the former link ends. Throws `not-found` when the organization is open
 * to the session or not theirs, `forbidden` for other members, `email-not-verified`, `mail-unavailable` and `rate-limited`.
 */
export async function mailWayBack(app: App, session: Session, orgId: string): Promise<void> {
  const lifts = liftedFor((await findClosed(app, session, orgId))?.closedOrg)
  if (!lifts) throw new AppError('not-found')
  const membership = await findMembership(app, session.userId, orgId)
  if (membership?.role !== 'owner') throw new AppError('forbidden', { detail: 'Only an owner can lift it.' })
  if (!session.emailVerified) throw new AppError('email-not-verified')
  if (!app.mailer.isReady) throw new AppError('mail-unavailable')
  await rateLimit(app, limits.wayBacksPerAccount, session.userId)
  const issued = await issueOneTime(app, wayBack, { subject: session.userId, payload: { orgId, lifts } })
  const query = new URLSearchParams({ 'way-back': issued?.secret ?? '' })
  const values = { organization: membership.orgName }
  await mailPeople(app, [session.email], 'way-back', { values, href: await orgUrl(app, orgId, `/?${query}`) })
}

const liftedFor = (closed: ClosedOrg | undefined): Lifted | undefined => {
  if (!closed) return undefined
  if (closed.reason) return 'policy'
  return closed.provider ? 'rule' : undefined
}

/**
 * Lifts the rule or policy by the mailed link, in the session of the owner who asked, and tells all owners. Throws `link-used` for
 * a link that has ended or is another person's.
 */
export async function useWayBack(
  app: App,
  session: Session,
  orgId: string,
  token: string,
): Promise<{ lifted: Lifted }> {
  const spent = await spendOneTime(app, wayBack, token, { subject: session.userId })
  if (spent?.payload.orgId !== orgId) throw new AppError('link-used')
  const { lifts } = spent.payload
  const { rowsAffected } = await app.db.client.execute({
    sql: `update organizations set ${LIFT[lifts]} where id = ?
      and exists (select 1 from org_members where org_id = ? and user_id = ? and role = 'owner')`,
    args: [orgId, orgId, session.userId],
  })
  if (rowsAffected === 0) throw new AppError('forbidden')
  app.log.warn('an owner has lifted what kept them out', { orgId, by: session.userId, lifted: lifts })
  const membership = await findMembership(app, session.userId, orgId)
  const addresses = await listManagers(app, orgId, ['owner'])
  await notifyPeople(app, { orgId, addresses }, 'way-back-used', {
    values: { organization: membership?.orgName ?? '', who: session.email },
    href: await orgUrl(app, orgId, SINGLE_SIGN_ON_PAGE),
  })
  return { lifted: lifts }
}
