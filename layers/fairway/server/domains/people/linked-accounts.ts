// A person's linked provider accounts, and the check that another sign-in method remains when one is removed.
import { and, desc, eq, ne } from 'drizzle-orm'
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import type { InStatement, InValue } from '#fairway/server/kernel/database/client'
import type { SqlPart } from '#fairway/server/kernel/dependent-rows'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { LinkedAccounts } from '#fairway/shared/schemas/account'
import { SESSION_HOLDS } from './end-access'
import type { ProviderProfile } from './link-provider-account'
import { accounts } from './tables'

const HUB = 'hub'

/** The providers that people can sign in with here: id, name, and whether the provider is the hub. */
function offeredProviders({ config }: App): { id: string; name: string; isHub: boolean }[] {
  if (config.customSignIn) return []
  const { client } = config.identity
  return [
    ...config.signInProviders.map(({ id, name }) => ({ id, name, isHub: false })),
    ...(client && !client.isDesktopOnly ? [{ id: HUB, name: new URL(client.url).host, isHub: true }] : []),
  ]
}

/** The linked provider accounts of a person, newest first, and the providers that they can link. */
export async function listLinkedAccounts(app: App, userId: string): Promise<LinkedAccounts> {
  const { id, providerId, providerEmail, createdAt, lastUsedAt } = accounts
  const rows = await app.db.orm
    .select({ id, provider: providerId, email: providerEmail, createdAt, lastUsedAt })
    .from(accounts)
    .where(and(eq(accounts.userId, userId), ne(accounts.providerId, 'credential')))
    .orderBy(desc(accounts.createdAt), desc(accounts.id))
  const offered = offeredProviders(app)
  return {
    accounts: rows.map(row => ({
      ...row,
      name: offered.find(({ id: known }) => known === row.provider)?.name ?? row.provider,
      isOffered: offered.some(({ id: known }) => known === row.provider),
      createdAt: row.createdAt.toISOString(),
      lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    })),
    // The hub signs in by address only, so it cannot be linked manually.
    available: offered.filter(({ isHub }) => !isHub).map(({ id: provider, name }) => ({ id: provider, name })),
  }
}

/**
 * The condition that a person can still sign in without this provider account: by password, another available provider, or a
 * mailed link. Other domains add their own methods.
 */
export function otherWayIn(app: App, userId: string, withoutAccount: string | null): SqlPart {
  const offered = offeredProviders(app).map(({ id }) => id)
  const marks = offered.map(() => '?').join(', ')
  const account = `exists (select 1 from accounts w where w.user_id = ? and w.id is not ?
    and (w.password is not null or w.provider_id in (${marks})))`
  const args: InValue[] = [userId, withoutAccount, ...offered]
  if (!app.config.signIn.magicLink) return { sql: account, args }
  return {
    sql: `(${account} or exists (select 1 from users w where w.id = ? and w.email_verified = 1))`,
    args: [...args, userId],
  }
}

interface Unlinked {
  userId: string
  /** The current session; null for sessions without a row. */
  sessionId: string | null
  /** The ID of the account. */
  id: string
  /** Without this condition, the account stays linked. */
  when: SqlPart
}

/**
 * The statements that unlink a provider account and end sign-ins under way. The first one changes a row only if the account was
 * unlinked.
 */
export const unlinkStatements = ({ userId, sessionId, id, when }: Unlinked): InStatement[] => [
  {
    sql: `delete from accounts where id = ? and user_id = ? and provider_id <> 'credential' and ${SESSION_HOLDS} and ${when.sql}
      returning provider_id as provider`,
    args: [id, userId, sessionId, sessionId, ...when.args],
  },
  {
    sql: `update users set security_version = security_version + 1 where id = ?
      and not exists (select 1 from accounts where id = ?)`,
    args: [userId, id],
  },
]

/** Whether an account at a provider is linked to this person. */
export async function isLinked(app: App, userId: string, id: string): Promise<boolean> {
  return (await app.db.orm.$count(accounts, and(eq(accounts.id, id), eq(accounts.userId, userId)))) > 0
}

/**
 * The condition that another person (`h`) than the one in `users` has confirmed this address. Unconfirmed addresses do not
 * count, because a sign-up form accepts any address.
 */
const HOLDS_ADDRESS = 'h.email = ? and h.id <> users.id and h.email_verified = 1'

const ownerSchema = z.object({ userId: z.string().nullable(), holderId: z.string().nullable() })

/**
 * Links a provider's account to the person who requested it, while their session is live. Returns false when it was already
 * linked to them. The address does not select the account. Throws `provider-email-not-verified`, `provider-account-mismatch`
 * when the account or its address belongs to another person, and `credentials-changed` when the session has ended.
 */
export async function linkToPerson(
  app: App,
  { userId, sessionId }: { userId: string; sessionId: string | null },
  { provider, accountId, email, emailVerified, domain }: ProviderProfile,
): Promise<boolean> {
  if (!emailVerified) throw new AppError('provider-email-not-verified')
  const now = app.now().getTime()
  const [linked, owners] = await app.db.client.batch(
    [
      {
        sql: `insert into accounts (id, user_id, account_id, provider_id, provider_email, provider_domain, created_at, updated_at)
          select ?, id, ?, ?, ?, ?, ?, ? from users where id = ? and kind = 'person' and ${SESSION_HOLDS}
          and not exists (select 1 from accounts where provider_id = ? and account_id = ?)
          and not exists (select 1 from users h where ${HOLDS_ADDRESS})`,
        args: [
          newId(),
          accountId,
          provider,
          email,
          domain,
          now,
          now,
          userId,
          sessionId,
          sessionId,
          provider,
          accountId,
          email,
        ],
      },
      {
        sql: `select (select user_id from accounts where provider_id = ? and account_id = ?) as userId,
          (select h.id from users h, users where users.id = ? and ${HOLDS_ADDRESS}) as holderId`,
        args: [provider, accountId, userId, email],
      },
    ],
    'write',
  )
  const { userId: owner, holderId } = ownerSchema.parse(owners?.rows[0])
  if (owner === userId) return linked?.rowsAffected === 1
  if (owner !== null || holderId !== null) throw new AppError('provider-account-mismatch')
  throw new AppError('credentials-changed')
}
