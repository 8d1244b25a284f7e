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
  type SessionTimes,
  orgContextJoin,
  slugJoin,
} from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { isoTime } from '#fairway/server/kernel/iso-time'
import { SIGN_IN_PATH } from '#fairway/shared/paths'
import type { Session } from '#fairway/shared/schemas/session'

/** A session on the server, with the id of its row. The id is not enumerable, so no response contains it. */
export type ServerSession = Session & {
  /** Null for sessions without a row: a token, a call, the application's own sign-in. */
  readonly id: string | null
}

/** A person and the organization they act in, as read by one statement. */
export interface ActorRow extends PersonRow, OrgContextRow {}

/** Why a person may not act. */
export type ActRefusal = 'unknown' | 'not-confirmed' | 'not-open' | 'left-organization' | 'suspended'

/** A session, or the reason why there is none. `until` is the end of a suspension in milliseconds. */
export type Acting = { session: ServerSession } | { refusal: ActRefusal; until?: number }

/** The session of a person who acts, or null. Throws `account-suspended`, so that all surfaces return the same code. */
export function sessionOfActing(acting: Acting): ServerSession | null {
  if ('session' in acting) return acting.session
  if (acting.refusal === 'suspended') throw suspendedError(acting.until ?? 0)
  return null
}

/** The error for an account that must confirm its address first, with the next step for the person. */
export const unconfirmedError = ({ config }: App): AppError =>
  new AppError('email-not-verified', {
    detail: `Sign in at ${new URL(SIGN_IN_PATH, config.baseUrl).href} to get the link again.`,
  })

/** How a person proved their identity, and how long the proof is valid. */
export interface Proof {
  /** Compared with the organization's sign-in rule: the provider of a sign-in, or the surface when there was no sign-in. */
  provider: string
  /** The domain or tenant that this provider vouched for. The rule may require one. */
  providerDomain?: string | null
  /** Whether the session behind it has proved a second factor. */
  provedSecondFactor?: boolean
  /** The provider that the session shows instead, for credentials created from a session: `mcp`, `embed`. */
  shownAs?: string
  /** The only organization of the credential; null for none. Default: the organization that the person works in. */
  orgId?: string | null
  /** Milliseconds. Default: now. */
  createdAt?: number
  expiresAt?: number
  /** The ID of the session's row, if there is one. */
  sessionId?: string
  /** Whether the proof shows that the address belongs to the person. */
  provesAddress?: boolean
  /** When it began and how it was used, for session policies. */
  times?: SessionTimes
}

/** The columns and joins of an `ActorRow`: the person whose id is in `userId`, in the organization they work in. */
export const workingActor = {
  columns: `${personColumns}, ${orgContextColumns}`,
  joins: (userId: string): string => `${personJoin(userId)} ${orgContextJoin}`,
}

/** The same in the organization whose id is in `orgId`. Its columns are null for a person who is not a member. */
export const memberActor = {
  columns: `${personColumns}, ${membershipColumns}`,
  joins: (userId: string, orgId: string): string => `${personJoin(userId)} ${membershipJoin(orgId, 'left join')}`,
}

/** The same in the organization whose slug a request names. Its values: the slug, twice. */
export const addressedActor = {
  columns: memberActor.columns,
  joins: (userId: string): string => `${personJoin(userId)} ${slugJoin}`,
}

const FIND_WORKING = `select ${workingActor.columns} from ${PEOPLE} ${orgContextJoin} where`
const statements = {
  email: `${FIND_WORKING} u.email = ?`,
  userId: `${FIND_WORKING} u.id = ?`,
  addressed: `select ${addressedActor.columns} from ${PEOPLE} ${slugJoin} where u.id = ?`,
  member: `select ${memberActor.columns} from ${PEOPLE} ${membershipJoin('?', 'left join')} where u.id = ?`,
}

/** By id or by address. With `mustBeConfirmed`, the address must be confirmed regardless of the setting. */
type Who = ({ userId: string } | { email: string }) & { mustBeConfirmed?: boolean }

/**
 * The session of a person who acts without a current sign-in: through a call, a token or the command line. Runs one prepared
 * statement. Returns the reason when the person may not act.
 */
export async function actAs(app: App, who: Who, proof: Proof): Promise<Acting> {
  const row = await findActor(app, 'email' in who ? who : { ...who, orgId: proof.orgId })
  if (row && who.mustBeConfirmed && !isConfirmed(row, proof)) return { refusal: 'not-confirmed' }
  return openSession(app, row, proof)
}

/**
 * Whether the address of the account is known to belong to the person behind this proof. While the owner of the address has not
 * claimed the account, only a sign-in that proves the address counts. Anyone else may be a stranger who used the address first.
 */
const isConfirmed = ({ emailVerified, isClaimOpen }: ActorRow, { provesAddress }: Proof): boolean =>
  emailVerified === 1 && (isClaimOpen === 0 || provesAddress === true)

/** The row of a person in the organization with a slug; its columns are null where the person is no member. */
export async function findAddressedActor(app: App, userId: string, slug: string): Promise<ActorRow | undefined> {
  const find = app.memo('find-actor-by-slug', () => app.db.prepareRead<ActorRow>(statements.addressed))
  return (await find([slug, slug, userId]))[0]
}

/** The row behind `actAs`; undefined for an unknown person. */
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
 * The only place that turns a row into a session. Checks that the account may be used, that the person is a member of the
 * credential's organization, and that the organization accepts the proof. If it does not, the session has `closedOrg`.
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

/** Why the account cannot be used with any proof; undefined when it can. */
function whyNotOpen({ config }: App, row: ActorRow, provider: string): ActRefusal | undefined {
  const opensIf = (emailVerified: boolean) => mayOpen({ ...row, emailVerified, provider }, config)
  if (opensIf(row.emailVerified === 1)) return undefined
  return opensIf(true) ? 'not-confirmed' : 'not-open'
}

/** A copy of the session that the caller may change. */
export function copyOf(session: ServerSession): ServerSession {
  const { closedOrg, id } = session
  const copy = closedOrg ? { ...session, closedOrg: { ...closedOrg } } : { ...session }
  return Object.defineProperty(copy, 'id', { value: id, writable: true, configurable: true, enumerable: false })
}

// Members that only few sessions have; all others omit them.
const marksOf = ({ config }: App, row: ActorRow, proof: Proof) => ({
  ...(isTermsDue(config, row) ? { termsDue: true as const } : {}),
  ...(proof.provesAddress && row.isClaimOpen === 1 ? { mayClaim: true as const } : {}),
  ...(proof.providerDomain && proof.shownAs === undefined ? { providerDomain: proof.providerDomain } : {}),
  ...(proof.provedSecondFactor ? { provedSecondFactor: true as const } : {}),
})
