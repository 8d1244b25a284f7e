// The second-factor policy: of one organization (a setting), and of the whole installation (FW_REQUIRE_SECOND_FACTOR).
import { personJoin, shownPersonSql, toShownPerson } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { ShownPerson } from '#fairway/shared/schemas/person'
import type { Session } from '#fairway/shared/schemas/session'

/** The values that the policy compares, read with a person and their membership; times in milliseconds. */
export interface SecondFactorRow {
  /** When two-factor authentication was turned on, and when a passkey was added; null without one. */
  twoFactorSince: number | null
  passkeySince: number | null
  /** When the account was created, and when the person joined the organization. */
  personSince: number | null
  memberSince: number | null
  /** The start of the organization's policy, and the days of its grace period; null without a policy. */
  policySince: number | null
  graceDays: number | null
}

/** The columns of a `SecondFactorRow`, of the account (`u`), the membership (`m`) and the organization (`o`). */
export const secondFactorColumns = `u.second_factor_since as twoFactorSince, u.passkey_since as passkeySince, u.created_at as personSince,
  m.joined_at as memberSince, o.second_factor_since as policySince, o.second_factor_grace_days as graceDays`

const DAY_IN_MS = 24 * 60 * 60 * 1000
/** Surfaces without a sign-in. They require that the person has a second factor. */
const PROGRAMS = new Set(['a2a', 'cli', 'job', 'static-token'])
/** The identities in development and when sign-in is turned off. */
const EXEMPT = new Set(['dev', 'auth-disabled'])

/** How a session was proved. */
interface SecondFactorProof {
  provider: string
  provedSecondFactor?: boolean
}

/**
 * Whether a session has two factors. A passkey always does (user verification is required). The second factor of a provider
 * counts when the organization's sign-in rule requires that provider. Any other session must have proved a code itself: the
 * account may have turned two-factor authentication on elsewhere.
 */
function hasTwoFactors(
  row: SecondFactorRow,
  { provider, provedSecondFactor = false }: SecondFactorProof,
  requiredProvider: string | null,
): boolean {
  if (provider === 'passkey' || provider === requiredProvider || EXEMPT.has(provider)) return true
  if (PROGRAMS.has(provider)) return row.twoFactorSince !== null || row.passkeySince !== null
  return provedSecondFactor && row.twoFactorSince !== null
}

const POLICY = 'second-factor'
const holderOf = (app: App) => app.memo('second-factor-policy', () => ({ since: undefined as number | undefined }))

/** Reads the start of the installation's policy; the first caller of any instance stores it. Call it before `secondFactorOf`. */
export async function loadSecondFactorPolicy(app: App): Promise<void> {
  const holder = holderOf(app)
  if (!app.config.secondFactor.isRequired || holder.since !== undefined) return
  const [, policyRow] = await app.db.client.batch(
    [
      {
        sql: 'insert into fw_policies (name, since) values (?, ?) on conflict do nothing',
        args: [POLICY, app.now().getTime()],
      },
      { sql: 'select since from fw_policies where name = ?', args: [POLICY] },
    ],
    'write',
  )
  holder.since = Number(policyRow?.rows[0]?.since)
}

/** Deletes the start of the installation's policy once the policy is off. */
export async function purgePolicies(app: App): Promise<void> {
  if (app.config.secondFactor.isRequired) return
  await app.db.client.execute({ sql: 'delete from fw_policies where name = ?', args: [POLICY] })
}

/**
 * Returns the deadline for setting up a second factor, and whether it has passed; undefined when the policy requires nothing of
 * this session.
 */
export function secondFactorOf(
  app: App,
  row: SecondFactorRow & { requiredProvider: string | null },
  proof: SecondFactorProof,
): Session['secondFactor'] {
  if (app.config.customSignIn || hasTwoFactors(row, proof, row.requiredProvider)) return undefined
  const until = (since: number, joined: number | null, days: number) => Math.max(since, joined ?? 0) + days * DAY_IN_MS
  const { since } = holderOf(app)
  const { isRequired, graceDays } = app.config.secondFactor
  const due = [
    ...(isRequired && since !== undefined
      ? [{ by: 'installation' as const, at: until(since, row.personSince, graceDays) }]
      : []),
    ...(row.policySince === null
      ? []
      : [{ by: 'organization' as const, at: until(row.policySince, row.memberSince, row.graceDays ?? 0) }]),
  ]
  const now = app.now().getTime()
  // The strictest comes first: the installation once its deadline has passed, else the next deadline.
  const [first] = due.toSorted((a, b) => Math.max(a.at, now) - Math.max(b.at, now))
  if (!first) return undefined
  const { by, at } = first
  return {
    by,
    until: new Date(at).toISOString(),
    isOver: at <= now,
    ...(row.twoFactorSince === null ? {} : { canProve: true }),
    ...(row.passkeySince === null ? {} : { hasPasskey: true }),
  }
}

/** Throws `second-factor-setup-required` when the grace period has passed. */
export function checkSecondFactorSetUp(session: Pick<Session, 'secondFactor'> | null): void {
  if (!session?.secondFactor?.isOver) return
  const { by, until } = session.secondFactor
  throw new AppError('second-factor-setup-required', { extra: { by, until } })
}

/** Throws `second-factor-setup-required` when the installation requires it. The session can then only set one up. */
export function checkInstallationOpens(session: Pick<Session, 'secondFactor'>): void {
  if (session.secondFactor?.by === 'installation') checkSecondFactorSetUp(session)
}

/** Whether a session's access depends on the clock because a grace period is running. Such a session is not cached. */
export const isInGrace = (session: Pick<Session, 'secondFactor'> | undefined): boolean =>
  session?.secondFactor?.isOver === false

/**
 * Lists the members without a passkey and without two-factor authentication, longest-standing first, at most 1,000. Nobody while
 * the organization requires a provider, whose own second step counts.
 */
export async function listWithoutSecondFactor(app: App, { orgId }: { orgId: string }): Promise<ShownPerson[]> {
  const rows = await app.db.prepareRead<{ person: string }>(
    `select ${shownPersonSql()} as person from org_members m join organizations o on o.id = m.org_id ${personJoin('m.user_id')}
      where m.org_id = ? and o.required_auth_provider is null and u.second_factor_since is null and u.passkey_since is null
      order by m.joined_at, m.user_id limit 1000`,
  )([orgId])
  return rows.map(({ person }) => toShownPerson(person))
}

/**
 * Turns the organization's policy on, with these days of grace, or off. A policy that is already on keeps its start. Throws
 * `forbidden`.
 */
export async function setSecondFactorPolicy(
  app: App,
  actor: { orgId: string; userId: string },
  { isRequired, graceDays }: { isRequired: boolean; graceDays: number },
): Promise<void> {
  const { rowsAffected } = await app.db.client.execute({
    sql: `update organizations set second_factor_since = case when ? then coalesce(second_factor_since, ?) end,
      second_factor_grace_days = case when ? then ? end
      where id = ? and exists (select 1 from org_members where org_id = ? and user_id = ? and role in ('owner', 'admin'))`,
    args: [
      Number(isRequired),
      app.now().getTime(),
      Number(isRequired),
      graceDays,
      actor.orgId,
      actor.orgId,
      actor.userId,
    ],
  })
  if (rowsAffected === 0) throw new AppError('forbidden')
  app.log.warn('the second factor policy of an organization has changed', {
    orgId: actor.orgId,
    by: actor.userId,
    isRequired,
    graceDays,
  })
}
