import {
  isOperator,
  isTermsDue,
  mayOpen,
  PEOPLE,
  personColumns,
  personJoin,
  type PersonRow,
  suspendedError,
} from '#fairway/server/domains/people'
import {
  completeOrgContext,
  loadSecondFactorPolicy,
  openOrgContext,
  type OrgContextRow,
  membershipColumns,
  membershipJoin,
  orgContextColumns,
  orgContextJoin,
} from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { isoTime } from '#fairway/server/kernel/iso-time'
import { SIGN_IN_PATH } from '#fairway/shared/paths'
import type { Session } from '#fairway/shared/schemas/session'

/** A session on the server's side: with the id of its row, which no answer shows because the property is not enumerable. */
export type ServerSession = Session & {
  /** Null where the session is not a row of ours: a token, a call, the application's own sign-in. */
  readonly id: string | null
}

/** A person with the organization they act in, as one statement reads them. */
export interface ActorRow extends PersonRow, OrgContextRow {}

/** Why a person may not act. */
export type ActRefusal = 'unknown' | 'not-confirmed' | 'not-open' | 'left-organization' | 'suspended'

/** What acting comes to: a session, or why there is none; `until` is the end of a suspension in milliseconds. */
export type Acting = { session: ServerSession } | { refusal: ActRefusal; until?: number }

/** The session of somebody who acts, or null. Throws `account-suspended`, so that every surface says so with the same code. */
export function sessionOfActing(acting: Acting): ServerSession | null {
  if ('session' in acting) return acting.session
  if (acting.refusal === 'suspended') throw suspendedError(acting.until ?? 0)
  return null
}

/** Why an account whose address must be confirmed first opens nothing, with what to do. */
export const unconfirmedError = ({ config }: App): AppError =>
  new AppError('email-not-verified', {
    detail: `Sign in at ${new URL(SIGN_IN_PATH, config.baseUrl).href} to get the link again.`,
  })

/** How a person proved who they are, and for how long that holds. */
export interface Proof {
  /** What the organization's sign-in rule compares: the provider of a sign-in, or the surface where there was none. */
  provider: string
  /** The domain or tenant that this provider vouched for, which the rule may ask for as well. */
  providerDomain?: string | null
  /** What the session says instead, where the credential is made from a session: `mcp`, `embed`. */
  shownAs?: string
  /** The one organization that the credential is for; null for none, left out for the one the person works in. */
  orgId?: string | null
  /** Milliseconds; this moment when not given. */
  createdAt?: number
  expiresAt?: number
  /** The session's row, where there is one. */
  sessionId?: string
  /** Whether the proof includes that the address is the person's. */
  provesAddress?: boolean
}

/** What a statement selects and joins for an `ActorRow`: the person whose id is in `userId`, in the organization they work in. */
export const workingActor = {
  columns: `${personColumns}, ${orgContextColumns}`,
  joins: (userId: string): string => `${personJoin(userId)} ${orgContextJoin}`,
}

/** The same in the organization whose id is in `orgId`; its columns are null for a person who is no member. */
export const memberActor = {
  columns: `${personColumns}, ${membershipColumns}`,
  joins: (userId: string, orgId: string): string => `${personJoin(userId)} ${membershipJoin(orgId, 'left join')}`,
}

const FIND_WORKING = `select ${workingActor.columns} from ${PEOPLE} ${orgContextJoin} where`
const statements = {
  email: `${FIND_WORKING} u.email = ?`,
  userId: `${FIND_WORKING} u.id = ?`,
  member: `select ${memberActor.columns} from ${PEOPLE} ${membershipJoin('?', 'left join')} where u.id = ?`,
}

/** By id or by address; `mustBeConfirmed` where the address has to be known to be theirs, whatever the setting says. */
type Who = ({ userId: string } | { email: string }) & { mustBeConfirmed?: boolean }

/**
 * The session of a person who acts without a sign-in of this moment: by a call, a token, the command line. One prepared statement;
 * gives the reason where they may not act.
 */
export async function actAs(app: App, who: Who, proof: Proof): Promise<Acting> {
  const row = await findActor(app, 'email' in who ? who : { ...who, orgId: proof.orgId })
  if (row && who.mustBeConfirmed && !isConfirmed(row, proof)) return { refusal: 'not-confirmed' }
  return openSession(app, row, proof)
}

/**
 * Whether the address of the account is known to belong to the person behind this proof. While the owner of the address has not
 * said whose the account is, only a sign-in that proved the address itself counts: anyone else may be the stranger who used it first.
 */
const isConfirmed = ({ emailVerified, isClaimOpen }: ActorRow, { provesAddress }: Proof): boolean =>
  emailVerified === 1 && (isClaimOpen === 0 || provesAddress === true)

/** The row behind `actAs`; undefined for a person who is not there. */
export async function findActor(
  app: App,
  who: { email: string } | { userId: string; orgId?: string | null },
): Promise<ActorRow | undefined> {
  const find = (by: keyof typeof statements) =>
    app.memo(`find-actor-by-${by}`, () => app.db.prepareRead<ActorRow>(statements[by]))
  if ('email' in who) return (await find('email')([who.email]))[0]
  if (who.orgId === undefined) return (await find('userId')([who.userId]))[0]
  return (await find('member')([who.orgId ?? '', who.userId]))[0]
}

/**
 * The one place where a row becomes a session: whether the account opens anything, whether the person is in the organization that
 * the credential is for, and whether that opens to the proof (`closedOrg` says so where it does not).
 */
export async function openSession(app: App, row: ActorRow | undefined, proof: Proof): Promise<Acting> {
  if (!row) return { refusal: 'unknown' }
  const { provider, orgId } = proof
  const emailVerified = isConfirmed(row, proof)
  const refusal = whyNotOpen(app, row, provider)
  if (refusal) return { refusal }
  if (row.suspendedUntil > app.now().getTime()) return { refusal: 'suspended', until: row.suspendedUntil }
  if (orgId !== undefined && row.orgId !== orgId) return { refusal: 'left-organization' }
  await loadSecondFactorPolicy(app)
  const { userId, email, name, image } = row
  const org =
    orgId === undefined ? await completeOrgContext(app, { ...row, ...proof }, row) : openOrgContext(app, row, proof)
  const now = app.now().getTime()
  const session = {
    userId,
    email,
    emailVerified,
    name,
    image,
    ...org,
    provider: proof.shownAs ?? provider,
    createdAt: isoTime(proof.createdAt ?? now),
    expiresAt: isoTime(proof.expiresAt ?? now),
    ...marksOf(app, row, proof),
    ...(isOperator(app, { email, emailVerified }) ? { isOperator: true as const } : {}),
    id: proof.sessionId ?? null,
  }
  return { session: Object.defineProperty(session, 'id', { enumerable: false }) }
}

/** Why the account opens nothing, whoever comes with it; undefined where it does. */
function whyNotOpen({ config }: App, row: ActorRow, provider: string): ActRefusal | undefined {
  const opensIf = (emailVerified: boolean) => mayOpen({ ...row, emailVerified, provider }, config)
  if (opensIf(row.emailVerified === 1)) return undefined
  return opensIf(true) ? 'not-confirmed' : 'not-open'
}

/** The same session as an object of the caller's own. */
export function copyOf(session: ServerSession): ServerSession {
  const { closedOrg, id } = session
  const copy = closedOrg ? { ...session, closedOrg: { ...closedOrg } } : { ...session }
  return Object.defineProperty(copy, 'id', { value: id, writable: true, configurable: true, enumerable: false })
}

// What few sessions say of themselves; for all others the member is not there.
const marksOf = ({ config }: App, row: ActorRow, { provesAddress, providerDomain, shownAs }: Proof) => ({
  ...(isTermsDue(config, row) ? { termsDue: true as const } : {}),
  ...(provesAddress && row.isClaimOpen === 1 ? { mayClaim: true as const } : {}),
  ...(providerDomain && shownAs === undefined ? { providerDomain } : {}),
})
