import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import type { InStatement, InValue } from '#fairway/server/kernel/database/client'
import { newId } from '#fairway/server/kernel/crypto/random'
import type { SqlPart } from '#fairway/server/kernel/dependent-rows'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { confirmingStatements, newUserStatement } from './accounts'
import { noteAccountEvent } from './devices'
import { endGrantsOf, endSessionsStatements } from './end-access'

/** A provider's data about the person who signed in there, checked and cleaned. */
export interface ProviderProfile {
  provider: string
  /** The provider's own id for the person, which never changes. */
  accountId: string
  /** Lower case. */
  email: string
  /** Whether the provider states that the address belongs to this person. */
  emailVerified: boolean
  /** The email domain or tenant of the account, as stated by the provider. Null without a reliable statement. */
  domain: string | null
  name: string
  image: string | null
}

/** The signed-in person and the security version required for their session. */
interface LinkedUser {
  userId: string
  email: string
  securityVersion: number
}

const linkedSchema = z.object({ userId: z.string(), email: z.string(), securityVersion: z.number() })

/**
 * The user of a provider's account, created and linked if it is new, in one transaction: concurrent first sign-ins create one
 * user and one link. An existing link always signs in its user, even when another account now has the address. Throws
 * `provider-email-not-verified` when the account is not linked yet and the provider does not vouch for its address.
 */
export async function linkProviderAccount(app: App, profile: ProviderProfile): Promise<LinkedUser> {
  const { provider, accountId, emailVerified } = profile
  const left = await leftDomainStatements(app, { provider, accountId, domain: profile.domain })
  const results = await app.db.client.batch([...left, ...linkStatements(app, profile)], 'write')
  const [row] = results.at(-1)?.rows ?? []
  if (!row && !emailVerified) throw new AppError('provider-email-not-verified')
  // Only the development account has an address but cannot be linked.
  if (!row) throw new AppError('dev-account-refused')
  const linked = linkedSchema.parse(row)
  if (emailVerified) noteLink(app, linked.userId, provider, results.slice(left.length))
  return linked
}

/** The user who is linked to an account at a provider; undefined without one. */
export async function linkedUserOf(app: App, provider: string, accountId: string): Promise<string | undefined> {
  const [row] = await app.db.prepareRead<{ userId: string }>(
    'select user_id as userId from accounts where provider_id = ? and account_id = ?',
  )([provider, accountId])
  return row?.userId
}

/**
 * The statements that end every session and connected app of a person whose account at the provider has left its domain or
 * tenant. Access granted through that domain must not outlive it. Empty when nothing has changed.
 */
async function leftDomainStatements(
  app: App,
  { provider, accountId, domain }: Pick<ProviderProfile, 'provider' | 'accountId' | 'domain'>,
): Promise<InStatement[]> {
  const [row] = await app.db.prepareRead<{ userId: string; before: string | null }>(
    'select user_id as userId, provider_domain as before from accounts where provider_id = ? and account_id = ?',
  )([provider, accountId])
  if (!row?.before || row.before === domain) return []
  const { userId, before } = row
  const when: SqlPart = {
    sql: 'exists (select 1 from accounts where provider_id = ? and account_id = ? and provider_domain = ?)',
    args: [provider, accountId, before],
  }
  app.log.warn('a provider account has left its domain', { userId, provider })
  return [
    ...endSessionsStatements(app, { userId, when }),
    ...endGrantsOf(app, { userId, reason: 'provider-domain-left', when }),
  ]
}

function noteLink(app: App, userId: string, provider: string, results: readonly { rowsAffected: number }[]): void {
  const [confirmed, linked] = results.slice(-4)
  if (confirmed?.rowsAffected === 1) app.log.warn('an unconfirmed account went to the owner of its address', { userId })
  if (linked?.rowsAffected !== 1) return
  app.log.info('a provider account was linked', { userId, provider })
  // The security events of an existing account must show the new link.
  const isNewPerson = results[1]?.rowsAffected === 1
  if (!isNewPerson) noteAccountEvent(app, { kind: 'account-linked', userId, subject: provider, reason: 'signed-in' })
}

/** The statements in order, each with its own condition. An existing link stays unchanged. */
function linkStatements(app: App, profile: ProviderProfile): InStatement[] {
  const { provider, accountId, email, emailVerified, domain } = profile
  const key: InValue[] = [provider, accountId]
  const now = app.now().getTime()
  return [
    {
      sql: `update accounts set provider_email = coalesce(?, provider_email), provider_domain = ?, last_used_at = ?
        where provider_id = ? and account_id = ?`,
      args: [emailVerified ? email : null, domain, now, ...key],
    },
    ...(emailVerified ? vouchedStatements(app, profile) : []),
    {
      sql: `select u.id as userId, u.email as email, u.security_version as securityVersion
        from accounts a join users u on u.id = a.user_id where a.provider_id = ? and a.account_id = ?`,
      args: key,
    },
  ]
}

/** The statements for an address that the provider vouches for: they create a user and a link when the account is new. */
function vouchedStatements(app: App, profile: ProviderProfile): InStatement[] {
  const { provider, accountId, email, name, image, domain } = profile
  const isNew = 'not exists (select 1 from accounts where provider_id = ? and account_id = ?)'
  const key: InValue[] = [provider, accountId]
  // Must come first: `claimSince` must not be later than the creation of the link.
  const confirming = confirmingStatements(app, { sql: `email = ? and ${isNew}`, args: [email, ...key] })
  const now = app.now().getTime()
  return [
    {
      sql: `insert into users (id, name, email, email_verified, image, kind, created_at, updated_at)
        select ?, ?, ?, 1, ?, 'person', ?, ? where ${isNew} on conflict do nothing`,
      args: [newId(), name, email, image, now, now, ...key],
    },
    ...confirming,
    {
      sql: `insert into accounts (id, user_id, account_id, provider_id, provider_email, provider_domain, last_used_at, created_at, updated_at)
        select ?, id, ?, ?, email, ?, ?, ?, ? from users where email = ? and kind = 'person' and ${isNew}`,
      args: [newId(), accountId, provider, domain, now, now, now, email, ...key],
    },
    // For an account that was already linked, when the provider vouches for an address that the user has taken since.
    {
      sql: `update users set email_verified = 1, updated_at = ? where email = ? and email_verified = 0
        and id in (select user_id from accounts where provider_id = ? and account_id = ?)`,
      args: [now, email, ...key],
    },
  ]
}

interface VerifiedAddress {
  /** Lower case. A trusted party states that it belongs to the person. */
  email: string
  /** The trusted party, for example `hub`. */
  provider: string
}

const userSchema = z.object({ userId: z.string(), securityVersion: z.number() })

/**
 * The user of a verified address, created if there is none, with a link that records the source. Only the address decides: an
 * earlier link is ignored and stays, and an existing user is reused unchanged (SPEC: Cross-app sign-in 4). Concurrent calls
 * create one user and one link. Throws `dev-account-refused`.
 */
export async function linkVerifiedAddress(app: App, { email, provider }: VerifiedAddress): Promise<LinkedUser> {
  // Must come first: `claimSince` must not be later than the creation of the link.
  const confirming = confirmingStatements(app, { sql: 'email = ?', args: [email] })
  const now = app.now().getTime()
  const results = await app.db.client.batch(
    [
      {
        sql: `update accounts set provider_email = ?, last_used_at = ? where provider_id = ?
          and account_id in (select id from users where email = ?)`,
        args: [email, now, provider, email],
      },
      newUserStatement(app, { email, emailVerified: true }),
      ...confirming,
      {
        // Keyed by the user's id, so that a later owner of the address gets a separate link.
        sql: `insert into accounts (id, user_id, account_id, provider_id, provider_email, last_used_at, created_at, updated_at)
          select ?, id, id, ?, email, ?, ?, ? from users where email = ? and kind = 'person' on conflict do nothing`,
        args: [newId(), provider, now, now, now, email],
      },
      {
        sql: `select id as userId, security_version as securityVersion from users where email = ? and kind = 'person'`,
        args: [email],
      },
    ],
    'write',
  )
  const [row] = results.at(-1)?.rows ?? []
  // Only the development account has an address but cannot be linked.
  if (!row) throw new AppError('dev-account-refused')
  const { userId, securityVersion } = userSchema.parse(row)
  const [confirmed, linked] = results.slice(-3)
  if (confirmed?.rowsAffected === 1) app.log.warn('an unconfirmed account went to the owner of its address', { userId })
  if (linked?.rowsAffected === 1) app.log.info('a verified address was linked', { userId, provider })
  return { userId, email, securityVersion }
}
