import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import type { InStatement, InValue } from '#fairway/server/kernel/database/client'
import { newId } from '#fairway/server/kernel/crypto/random'
import type { SqlPart } from '#fairway/server/kernel/dependent-rows'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { confirmingStatements, newUserStatement } from './accounts'
import { noteAccountEvent } from './devices'
import { endGrantsOf, endSessionsStatements } from './end-access'

/** What a provider says about the person who signed in there, after it was checked and cleaned. */
export interface ProviderProfile {
  provider: string
  /** The provider's own id of the person, which never changes. */
  accountId: string
  /** Lower case. */
  email: string
  /** Whether the provider says that the address is this person's. */
  emailVerified: boolean
  /** The email domain or tenant that the account belongs to, as the provider says; null where it says nothing that can be relied on. */
  domain: string | null
  name: string
  image: string | null
}

/** Who is signed in, and the security version that their session has to be made under. */
interface LinkedUser {
  userId: string
  email: string
  securityVersion: number
}

const linkedSchema = z.object({ userId: z.string(), email: z.string(), securityVersion: z.number() })

/**
 * The user that a provider's account signs in, made and linked when it is new; everything in one transaction, so any number of
 * first sign-ins at once make one user and one link. A link that exists always signs in, whoever has the address by now. Throws
 * `provider-email-not-verified` when the provider does not vouch for the address of an account that is not linked yet.
 */
export async function linkProviderAccount(app: App, profile: ProviderProfile): Promise<LinkedUser> {
  const { provider, accountId, emailVerified } = profile
  const left = await leftDomainStatements(app, { provider, accountId, domain: profile.domain })
  const results = await app.db.client.batch([...left, ...linkStatements(app, profile)], 'write')
  const [row] = results.at(-1)?.rows ?? []
  if (!row && !emailVerified) throw new AppError('provider-email-not-verified')
  // Only the development account has an address and takes no link.
  if (!row) throw new AppError('dev-account-refused')
  const linked = linkedSchema.parse(row)
  if (emailVerified) noteLink(app, linked.userId, provider, results.slice(left.length))
  return linked
}

/**
 * The statements that end every session and connected app of a person whose account at the provider has left its domain or tenant:
 * what was opened while it belonged there must not outlive that. None where nothing has changed.
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
  // Whoever was there before is to see it.
  const isNewPerson = results[1]?.rowsAffected === 1
  if (!isNewPerson) noteAccountEvent(app, { kind: 'account-linked', userId, subject: provider, reason: 'signed-in' })
}

/** The statements in their order, each with its own condition: what is linked already is left as it is. */
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

/** What follows where the provider vouches for the address: a user and a link where the account is new. */
function vouchedStatements(app: App, profile: ProviderProfile): InStatement[] {
  const { provider, accountId, email, name, image, domain } = profile
  const isNew = 'not exists (select 1 from accounts where provider_id = ? and account_id = ?)'
  const key: InValue[] = [provider, accountId]
  // Made first: the link is not older than the question about what was there before.
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
    // The account was linked before, and the provider vouches for an address that its user has taken since.
    {
      sql: `update users set email_verified = 1, updated_at = ? where email = ? and email_verified = 0
        and id in (select user_id from accounts where provider_id = ? and account_id = ?)`,
      args: [now, email, ...key],
    },
  ]
}

interface VerifiedAddress {
  /** Lower case; a party that is trusted about it says that it is the person's. */
  email: string
  /** Who says so, for example `hub`. */
  provider: string
}

const userSchema = z.object({ userId: z.string(), securityVersion: z.number() })

/**
 * The user of a verified address, made when there is none, with a link that notes how they came. The address alone decides: an
 * earlier link is neither followed nor moved, and a user who is there is reused unchanged (SPEC: Cross-app sign-in 4). Any number of
 * callers at once make one user and one link. Throws `dev-account-refused`.
 */
export async function linkVerifiedAddress(app: App, { email, provider }: VerifiedAddress): Promise<LinkedUser> {
  // Made first: the link is not older than the question about what was there before.
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
        // By the user's id: a later owner of the address gets a link of their own.
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
  // Only the development account has an address and takes no link.
  if (!row) throw new AppError('dev-account-refused')
  const { userId, securityVersion } = userSchema.parse(row)
  const [confirmed, linked] = results.slice(-3)
  if (confirmed?.rowsAffected === 1) app.log.warn('an unconfirmed account went to the owner of its address', { userId })
  if (linked?.rowsAffected === 1) app.log.info('a verified address was linked', { userId, provider })
  return { userId, email, securityVersion }
}
