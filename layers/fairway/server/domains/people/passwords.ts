import { and, eq } from 'drizzle-orm'
import { z } from 'zod'
import { newId } from '#fairway/server/kernel/crypto/random'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { accounts, users } from './tables'
import { endGrantsOf, endSessionsStatements } from './end-access'
import { getPasswordHasher } from './auth-library/call-library'
import { noteAccountEvent } from './devices'
import { hmac, sha1Hex } from '#fairway/server/kernel/crypto/hash'
import { isImported } from '#fairway/server/kernel/crypto/foreign-hash'

type User = typeof users.$inferSelect

/**
 * The person with this address and password. An unknown address takes as long as a wrong password, and both throw
 * `invalid-credentials`. Account and password are read together, so the security version matches this password.
 */
export async function findUserByPassword(app: App, input: { email: string; password: string }): Promise<User> {
  const { email, password } = input
  const [[row], standIn] = await Promise.all([
    app.db.orm
      .select({ user: users, hash: accounts.password })
      .from(users)
      .leftJoin(accounts, and(eq(accounts.userId, users.id), eq(accounts.providerId, 'credential')))
      .where(eq(users.email, email)),
    findStandIn(app, email),
  ])
  const isRight = row?.hash
    ? await isPasswordOf(app, { userId: row.user.id, hash: row.hash, password })
    : await spendTime(app, standIn, password)
  if (row && isRight) return row.user
  // Unknown addresses record an event too, so that both cases take equally long.
  noteAccountEvent(app, { kind: 'sign-in-failed', userId: row?.user.id, reason: row ? 'password' : 'unknown-address' })
  throw new AppError('invalid-credentials')
}

/** The rows of accounts that may be without a password before the next one with one. */
const STAND_IN_RANGE = 100

/**
 * The hash that an address without a password is verified against. It is another account's, chosen by the address, so unknown
 * addresses cost what accounts cost: some an imported hash, and the others one of Fairway's. The choice rarely moves when accounts
 * are added, and never when they sign in.
 */
export async function findStandIn(app: App, email: string): Promise<string | undefined> {
  const newest = app.memo('newest-account', () =>
    app.db.prepareRead<{ at: number | null }>('select max(rowid) as at from accounts'),
  )
  const [{ at } = { at: null }] = await newest([])
  // A power of two, so that places move only when the table has doubled.
  const places = 2 ** Math.floor(Math.log2(Math.max(at ?? 1, 1)))
  const { secret } = app.config.keys.current('password-stand-in')
  const place = Buffer.from(hmac(secret, email), 'base64url').readUInt32BE() % places
  const read = app.memo('password-stand-in', () =>
    app.db.prepareRead<{ hash: string }>(
      `select password as hash from accounts where rowid between ? and ? and provider_id = 'credential'
        and password is not null order by rowid limit 1`,
    ),
  )
  const [row] = await read([place, place + STAND_IN_RANGE])
  return row?.hash
}

const spendTime = async (app: App, standIn: string | undefined, password: string): Promise<false> => {
  const hasher = getPasswordHasher(app)
  await (standIn === undefined ? hasher.hash(password) : hasher.verify(standIn, password))
  return false
}

interface Tried {
  userId: string
  hash: string
  password: string
}

/** Whether a password is the one of this account. The hash of another system is replaced once its password is known. */
async function isPasswordOf(app: App, { userId, hash, password }: Tried): Promise<boolean> {
  const hasher = getPasswordHasher(app)
  if (!(await hasher.verify(hash, password))) return false
  if (!isImported(hash)) return true
  const newHash = await hasher.hash(password).catch((error: unknown) => {
    // Without room for another hash, the next sign-in replaces it.
    if (error instanceof AppError && error.code === 'sign-in-busy') return undefined
    throw error
  })
  // The time of the row stays: the password is the same (`claimContents` compares the times).
  if (newHash !== undefined)
    await app.db.client.execute({
      sql: `update accounts set password = ? where provider_id = 'credential' and user_id = ? and password = ?`,
      args: [newHash, userId, hash],
    })
  return true
}

/**
 * Checks a person's password and returns the account's security version that was read with it. Throws `invalid-credentials`
 * when it is wrong and `no-password` when they have none.
 */
export async function confirmPassword(app: App, userId: string, password: string): Promise<number> {
  const [row] = await app.db.orm
    .select({ hash: accounts.password, securityVersion: users.securityVersion })
    .from(accounts)
    .innerJoin(users, eq(users.id, accounts.userId))
    .where(and(eq(accounts.userId, userId), eq(accounts.providerId, 'credential')))
  if (!row?.hash) throw new AppError('no-password')
  if (!(await isPasswordOf(app, { userId, hash: row.hash, password }))) throw new AppError('invalid-credentials')
  return row.securityVersion
}

/** Whether a person can sign in by password. */
export const hasPassword = async (app: App, userId: string): Promise<boolean> =>
  (await passwordHashOf(app, userId)) !== undefined

interface NewPassword {
  userId: string
  passwordHash: string
  /** The account's security version when the person's permission was checked. */
  securityVersion: number
  /** The session that stays signed in, under a new token. */
  keep?: { sessionId: string; token: string; expiresAt: Date }
  /** Why connected apps end as well. Without a reason they stay. */
  endGrants?: 'account-recovered' | 'password-changed'
}

const versionSchema = z.object({ version: z.number() })

/**
 * Sets a new password, ends every session except the one to keep, and returns the new security version, in one transaction.
 * Throws `credentials-changed` without changes when sign-ins were ended in the meantime.
 */
export async function replacePassword(app: App, input: NewPassword): Promise<number> {
  const { userId, passwordHash, securityVersion, keep, endGrants } = input
  const now = app.now().getTime()
  // Every hash has a unique salt, so finding this hash proves that the first statement wrote it.
  const when = {
    sql: `exists (select 1 from accounts where provider_id = 'credential' and user_id = ? and password = ?)`,
    args: [userId, passwordHash],
  }
  const results = await app.db.client.batch(
    [
      {
        sql: `insert into accounts (id, user_id, account_id, provider_id, password, created_at, updated_at)
          select ?, id, id, 'credential', ?, ?, ? from users where id = ? and security_version = ?
          on conflict (provider_id, account_id) do update set password = excluded.password, updated_at = excluded.updated_at`,
        args: [newId(), passwordHash, now, now, userId, securityVersion],
      },
      ...endSessionsStatements(app, { userId, when, except: keep && { sql: 'id = ?', args: [keep.sessionId] } }),
      ...(keep
        ? [
            {
              sql: `update sessions set token = ?, created_at = ?, updated_at = ?, expires_at = ? where id = ? and user_id = ? and ${when.sql}`,
              args: [keep.token, now, now, keep.expiresAt.getTime(), keep.sessionId, userId, ...when.args],
            },
          ]
        : []),
      ...(endGrants ? endGrantsOf(app, { userId, reason: endGrants, when }) : []),
      { sql: 'select security_version as version from users where id = ?', args: [userId] },
    ],
    'write',
  )
  if (results[0]?.rowsAffected !== 1) throw new AppError('credentials-changed')
  return versionSchema.parse(results.at(-1)?.rows[0]).version
}

/** The password hash of a person; undefined without a password. */
export async function passwordHashOf(app: App, userId: string | undefined): Promise<string | undefined> {
  if (!userId) return undefined
  const [row] = await app.db.orm
    .select({ password: accounts.password })
    .from(accounts)
    .where(and(eq(accounts.userId, userId), eq(accounts.providerId, 'credential')))
  return row?.password ?? undefined
}

interface PasswordOwner {
  email?: string
  name?: string
}

/**
 * Throws `password-too-short`, `password-too-long`, `password-too-common` or `password-breached` for a password that is not
 * accepted. Lengths are code points after NFKC.
 */
export async function checkPassword(
  app: Pick<App, 'config' | 'fetch' | 'log'>,
  password: string,
  person: PasswordOwner,
): Promise<void> {
  const { config } = app
  const normal = password.normalize('NFKC')
  const length = [...normal].length
  const { minLength, maxLength } = config.password
  if (length < minLength) {
    throw new AppError('password-too-short', { detail: `Use at least ${minLength} characters.` })
  }
  if (length > maxLength) {
    throw new AppError('password-too-long', { detail: `Use at most ${maxLength} characters.` })
  }
  const reason = weakness(normal.toLowerCase(), person, config.name) ?? (await commonness(normal.toLowerCase()))
  if (reason) throw new AppError('password-too-common', { detail: reason })
  if (await isBreached(app, normal)) throw new AppError('password-breached')
}

function weakness(password: string, person: PasswordOwner, product: string): string | undefined {
  if (isRepeated(password)) return 'It repeats one short pattern.'
  if (isSequence(password)) return 'It is a simple sequence.'
  const words = [person.email, person.email?.split('@')[0], person.name, product, 'fairway'].flatMap(ownWords)
  const compact = lettersAndDigits(password)
  const rest = words.reduce((text, word) => text.replaceAll(word, ''), compact)
  // Without the person's own words, the rest must still be a password.
  if (rest.length < compact.length && rest.length < 8)
    return 'It is made of your address, your name or the product name.'
  return undefined
}

const lettersAndDigits = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** The text as one word and each of its parts, if they have at least four characters. */
const ownWords = (text: string | undefined): string[] =>
  [text ?? '', ...(text ?? '').split(/[^\p{L}\p{N}]+/u)].map(lettersAndDigits).filter(word => word.length >= 4)

/** `abcabcabc…`: one pattern of at most a third of the text's length, repeated. */
function isRepeated(text: string): boolean {
  for (let size = 1; size <= text.length / 3; size++) {
    const pattern = text.slice(0, size)
    if (pattern.repeat(Math.ceil(text.length / size)).slice(0, text.length) === text) return true
  }
  return false
}

const rows = ['abcdefghijklmnopqrstuvwxyz', '01234567890123456789012345678901234567890', 'qwertyuiopasdfghjklzxcvbnm']
const sequences = rows.flatMap(row => [row + row, [...(row + row)].toReversed().join('')])
const isSequence = (text: string): boolean => sequences.some(sequence => sequence.includes(text))

async function commonness(password: string): Promise<string | undefined> {
  // Loaded on first use: the list is large and most requests never need it.
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  const list: readonly unknown[] = dictionary['passwords-common']
  const stem = password.replace(/[^\p{L}]+$/u, '')
  const isListed =
    list.includes(password) || (stem.length >= 6 && password.length - stem.length >= 3 && list.includes(stem))
  return isListed ? 'It is on the list of passwords that are tried first.' : undefined
}

const PREFIX_LENGTH = 5
const LIMIT_IN_MS = 2000
/** A padded response has about 1,000 lines of 40 characters. */
const MOST_CHARACTERS = 500_000

/** A line of the range format: the rest of a hash and how often its password was found. Padding lines have the count 0. */
const lineSchema = z.string().regex(/^[0-9A-F]{35}:\d+$/i)

/**
 * Whether the service at `FW_BREACHED_PASSWORDS` knows this password from a breach; false where it is not set. When the service
 * takes longer than two seconds or does not use the range format, the failure is logged and the password is accepted.
 */
async function isBreached(app: Pick<App, 'config' | 'fetch' | 'log'>, password: string): Promise<boolean> {
  const { breachedAddress } = app.config.password
  if (breachedAddress === undefined) return false
  const hash = sha1Hex(password)
  try {
    const response = await app.fetch(breachedAddress + hash.slice(0, PREFIX_LENGTH), {
      headers: { 'add-padding': 'true', accept: 'text/plain', 'user-agent': 'nuxt-fairway' },
      redirect: 'error',
      signal: AbortSignal.timeout(LIMIT_IN_MS),
    })
    if (!response.ok) throw new Error(`the status ${response.status}`)
    return findCount(await response.text(), hash.slice(PREFIX_LENGTH)) > 0
  } catch (error) {
    app.log.warn('a password could not be compared with known breaches', { error })
    return false
  }
}

function findCount(text: string, rest: string): number {
  if (text.length > MOST_CHARACTERS) throw new Error('a longer answer than the range format has')
  const lines = text.split(/\r?\n/).filter(line => line !== '')
  const counts = new Map(lines.map(line => toEntry(lineSchema.parse(line))))
  return counts.get(rest) ?? 0
}

function toEntry(line: string): [rest: string, count: number] {
  const [rest = '', count = ''] = line.split(':')
  return [rest.toUpperCase(), Number(count)]
}
