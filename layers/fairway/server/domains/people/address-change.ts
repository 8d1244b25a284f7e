// Changes the address of an account: requested, confirmed by the owners of both addresses, applied in one transaction.
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { randomToken } from '#fairway/server/kernel/crypto/random'
import type { InStatement, ResultSet } from '#fairway/server/kernel/database/client'
import { inTransaction } from '#fairway/server/kernel/database/in-transaction'
import type { SqlPart } from '#fairway/server/kernel/dependent-rows'
import { AppError } from '#fairway/server/kernel/http/app-error'
import {
  issueStatements,
  type OneTime,
  type OneTimePurpose,
  peekOneTime,
  spendStatement,
  withdrawOneTimeStatement,
} from '#fairway/server/kernel/one-time/one-time'
import { findTables, type Runs } from '#fairway/server/kernel/owned-rows'
import { ADDRESS_LINK_PATH } from '#fairway/shared/paths'
import { endEmailLinksStatement } from './email-link'
import { endSessionsStatements } from './end-access'

const LIFE_IN_SECONDS = 24 * 60 * 60

const payloadSchema = z.object({
  oldEmail: z.string(),
  newEmail: z.string(),
  language: z.string().optional(),
})
type AddressPayload = z.output<typeof payloadSchema>

const purposeOf = (name: string): OneTimePurpose<AddressPayload> => ({
  name,
  lifeInSeconds: LIFE_IN_SECONDS,
  payload: payloadSchema,
  mostPerSubject: 1,
})

/** The links, by the address that they are mailed to. Their subject is the person. */
const purposes = { old: purposeOf('address-change-old'), new: purposeOf('address-change-new') }
type Side = keyof typeof purposes

/** A change of address that waits for confirmation by the owners of both addresses. */
export interface AddressChange {
  userId: string
  oldEmail: string
  newEmail: string
  oldConfirmed: boolean
  newConfirmed: boolean
  createdAt: Date
  expiresAt: Date
}

const rowSchema = z
  .object({
    userId: z.string(),
    oldEmail: z.string(),
    newEmail: z.string(),
    oldConfirmedAt: z.number().nullable(),
    newConfirmedAt: z.number().nullable(),
    sessionId: z.string().nullable(),
    createdAt: z.number(),
    expiresAt: z.number(),
  })
  .transform(({ oldConfirmedAt, newConfirmedAt, createdAt, expiresAt, ...row }) => ({
    ...row,
    oldConfirmed: oldConfirmedAt !== null,
    newConfirmed: newConfirmedAt !== null,
    createdAt: new Date(createdAt),
    expiresAt: new Date(expiresAt),
  }))

const FIND = `select c.user_id as userId, u.email as oldEmail, c.email as newEmail, c.old_confirmed_at as oldConfirmedAt,
  c.new_confirmed_at as newConfirmedAt, c.session_id as sessionId, c.created_at as createdAt, c.expires_at as expiresAt
  from fw_address_changes c join users u on u.id = c.user_id where c.user_id = ? and c.expires_at > ?`

const findChange = async (on: Runs, userId: string, now: number) => {
  const { rows } = await on.execute({ sql: FIND, args: [userId, now] })
  return rows[0] ? rowSchema.parse(rows[0]) : null
}

/** The pending change of a person, or null. */
export const findAddressChange = (app: App, userId: string): Promise<AddressChange | null> =>
  findChange(app.db.client, userId, app.now().getTime())

interface AskedChange {
  userId: string
  oldEmail: string
  newEmail: string
  sessionId: string | null
}

/** Records a requested change of address. It replaces an earlier request, whose links end. */
export async function askForAddress(app: App, { userId, newEmail, sessionId }: AskedChange): Promise<void> {
  const now = app.now().getTime()
  await app.db.client.batch(
    [
      withdrawOneTimeStatement(Object.values(purposes), userId),
      {
        sql: `insert into fw_address_changes (user_id, email, session_id, created_at, expires_at) values (?, ?, ?, ?, ?)
          on conflict (user_id) do update set email = excluded.email, session_id = excluded.session_id, old_confirmed_at = null,
          new_confirmed_at = null, created_at = excluded.created_at, expires_at = excluded.expires_at`,
        args: [userId, newEmail, sessionId, now, now + LIFE_IN_SECONDS * 1000],
      },
    ],
    'write',
  )
}

/** Withdraws a requested change and ends its links. Idempotent. */
export async function cancelAddressChange(app: App, userId: string): Promise<void> {
  await app.db.client.batch(withdrawChangeStatements(userId), 'write')
}

/** The statements that withdraw a change; each ends in a condition. */
export const withdrawChangeStatements = (userId: string): SqlPart[] => [
  withdrawOneTimeStatement(Object.values(purposes), userId),
  { sql: 'delete from fw_address_changes where user_id = ?', args: [userId] },
]

/** Creates the link for one of the two addresses of a change. An earlier link to the same address ends. */
export async function issueAddressLink(
  app: App,
  { userId, oldEmail, newEmail }: Pick<AddressChange, 'userId' | 'oldEmail' | 'newEmail'>,
  side: Side,
  language: string,
): Promise<string> {
  const secret = randomToken(32)
  const payload = { oldEmail, newEmail, language }
  await app.db.client.batch(
    issueStatements(app, purposes[side], { secret, subject: userId, payload }).statements,
    'write',
  )
  const link = new URL(ADDRESS_LINK_PATH, app.config.baseUrl)
  link.searchParams.set('token', secret)
  return link.href
}

/** A link of a change of address, as its page shows it. */
export interface AddressLink extends AddressPayload {
  hash: string
  userId: string
  side: Side
}

/**
 * Reads a link without using it up, because mail scanners and previews open links too. Throws `link-unknown`, `link-used` and
 * `link-expired`.
 */
export async function findAddressLink(app: App, token: string): Promise<AddressLink> {
  const oneTime = await peekOneTime(app, Object.values(purposes), token)
  if (!oneTime?.subject) throw new AppError('link-unknown')
  if (oneTime.usedAt) throw new AppError('link-used')
  const change = await findAddressChange(app, oneTime.subject)
  if (oneTime.isExpired || change?.newEmail !== oneTime.payload.newEmail) throw new AppError('link-expired')
  return toLink(oneTime, oneTime.subject)
}

const toLink = ({ hash, purpose, payload }: OneTime<AddressPayload>, userId: string): AddressLink => ({
  ...payload,
  hash,
  userId,
  side: purpose === purposes.new.name ? 'new' : 'old',
})

/**
 * Confirms one side of a change, once. When both are confirmed, the same transaction sets the new address on the account and on
 * rows that refer to it by address. It also ends the account's other sessions. Returns true when that happened, false while the
 * other side is missing. Throws `link-used`, `link-expired` and `rows-refused`. When another account has the address by then,
 * throws `account-exists` to the owner of the address and `conflict` to the requester.
 */
export const confirmAddress = (app: App, link: AddressLink): Promise<boolean> =>
  inTransaction(app, on => confirmWithin(app, on, link))

async function confirmWithin(app: App, on: Runs, link: AddressLink): Promise<boolean> {
  const { userId, side, hash } = link
  const now = app.now().getTime()
  const spent = await on.execute(spendStatement(app, purposes[side], { hash }))
  if (!spent.rows[0]) throw new AppError('link-used')
  await on.execute({
    sql: `update fw_address_changes set ${side}_confirmed_at = ? where user_id = ? and email = ? and expires_at > ?`,
    args: [now, userId, link.newEmail, now],
  })
  const change = await findChange(on, userId, now)
  if (change?.newEmail !== link.newEmail) throw new AppError('link-expired')
  const isDue = change.oldConfirmed && change.newConfirmed
  const holder = await findHolder(on, change.newEmail)
  const isTaken = holder?.isConfirmed === true
  // Only the owner of that address may learn that another account uses it.
  if (isTaken && side === 'new') throw new AppError('account-exists')
  if (isTaken && isDue) throw new AppError('conflict')
  if (!isDue) return false
  if (holder) await moveAccount(app, on, released(holder.userId, change.newEmail))
  await moveAccount(app, on, change)
  return true
}

interface Decided extends Pick<AddressChange, 'userId' | 'oldEmail' | 'newEmail'> {
  /** The condition about the account `u`. */
  when: SqlPart
}

/**
 * Gives an account another confirmed address without asking its owners, for the directory of its organization. It ends what a
 * confirmed change ends, and all sessions. Returns `refused` unless the condition holds, and `taken` for the address of another
 * account.
 */
export const decideAddress = (app: App, { when, ...change }: Decided): Promise<'changed' | 'refused' | 'taken'> =>
  inTransaction(app, async on => {
    const { userId, oldEmail, newEmail } = change
    const sql = `select 1 from users u where u.id = ? and u.email = ? and ${when.sql}`
    const { rows } = await on.execute({ sql, args: [userId, oldEmail, ...when.args] })
    if (rows.length === 0) return 'refused'
    if (await findHolder(on, newEmail)) return 'taken'
    await moveAccount(app, on, { ...change, sessionId: null })
    return 'changed'
  })

const holderSchema = z
  .object({ userId: z.string(), isConfirmed: z.number() })
  .transform(({ userId, isConfirmed }) => ({ userId, isConfirmed: isConfirmed === 1 }))

async function findHolder(on: Runs, email: string): Promise<z.output<typeof holderSchema> | undefined> {
  const sql = 'select id as userId, email_verified as isConfirmed from users where email = ?'
  const { rows } = await on.execute({ sql, args: [email] })
  return rows[0] && holderSchema.parse(rows[0])
}

/**
 * Releases the unconfirmed address of an account after the owner of the address has moved another account to it. The old
 * account gets an undeliverable address (RFC 2606 §2). It keeps its rows, and its sessions end.
 */
const released = (userId: string, oldEmail: string): Move => ({
  userId,
  oldEmail,
  newEmail: `released-${userId}@account.invalid`,
  isConfirmed: false,
  sessionId: null,
})

async function moveAccount(app: App, on: Runs, change: Move): Promise<void> {
  for (const statement of changeStatements(app, change)) await on.execute(statement)
  await moveOwnedRows(on, change)
}

interface Move extends Pick<AddressChange, 'userId' | 'oldEmail' | 'newEmail'> {
  /** The session that requested the change; it stays signed in. */
  sessionId: string | null
  /** False when the new address is unconfirmed. */
  isConfirmed?: boolean
}

function changeStatements(
  app: App,
  { userId, oldEmail: email, newEmail, sessionId, isConfirmed = true }: Move,
): InStatement[] {
  const except = sessionId === null ? undefined : { sql: 'id = ?', args: [sessionId] }
  return [
    {
      sql: 'update users set email = ?, email_verified = ?, updated_at = ? where id = ?',
      args: [newEmail, Number(isConfirmed), app.now().getTime(), userId],
    },
    ...app.dependents.flatMap(rows => rows.changeAddress?.({ userId, email, newEmail }) ?? []),
    endEmailLinksStatement(app, email),
    endEmailLinksStatement(app, newEmail),
    ...endSessionsStatements(app, { userId, except }),
    { sql: 'delete from fw_address_changes where user_id = ?', args: [userId] },
  ]
}

/**
 * Updates the application's rows that refer to a person by address. Throws `rows-refused` when a table does not accept the new
 * one.
 */
async function moveOwnedRows(on: Runs, { oldEmail, newEmail }: Move): Promise<void> {
  for (const { name, quoted, people, creators } of await findTables(on))
    for (const column of [...people, ...creators])
      await on
        .execute({ sql: `update ${quoted} set ${column} = ? where ${column} = ?`, args: [newEmail, oldEmail] })
        .catch((cause: unknown): ResultSet => {
          throw new AppError('rows-refused', {
            detail: `The table ${name} does not accept the new address. Nothing has changed.`,
            cause,
          })
        })
}

/** Deletes changes that were not confirmed in time. */
export async function purgeAddressChanges(app: App): Promise<void> {
  const sql = 'delete from fw_address_changes where expires_at <= ?'
  await app.db.client.execute({ sql, args: [app.now().getTime()] })
}
