// The passkeys of a person: adding, listing, renaming and removing them.
import { eq, and, desc } from 'drizzle-orm'
import type { z } from 'zod'
import { passkeys } from '#fairway/server/domains/sign-in/tables'
import { noteAccountEvent, otherWayIn, SESSION_HOLDS, tellOwner, outdateSignIns } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import type { SqlPart } from '#fairway/server/kernel/dependent-rows'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import type { Passkey } from '#fairway/shared/schemas/account'
import { rateLimit } from '../../../kernel/limits/rate-limit'
import { limits } from '../../../kernel/limits/limits'
import {
  ALGORITHMS,
  creationOptions,
  consumeChallenge,
  issueChallenge,
  challengeOf,
  type passkeyInput,
  relyingParty,
} from './ceremony'

const PASSKEYS_PER_PERSON = 20

/** The options for adding a passkey to a person, and the cookie that binds them to this browser. Throws `too-many-passkeys`. */
export async function startPasskeyRegistration(app: App, session: Session, cookieHeader: string | undefined) {
  await rateLimit(app, limits.passkeyRegistrationsPerAccount, session.userId)
  const mine = await app.db.orm
    .select({ credentialId: passkeys.credentialId, transports: passkeys.transports })
    .from(passkeys)
    .where(eq(passkeys.userId, session.userId))
  if (mine.length >= PASSKEYS_PER_PERSON) throw tooMany()
  const { challenge, setCookie } = await issueChallenge(app, { cookieHeader, userId: session.userId })
  const options = creationOptions(app.config, session, challenge, mine)
  return { options, setCookie }
}

/**
 * Adds the passkey that the browser created, while the session is live. Throws `unauthenticated`, `passkey-challenge-ended`,
 * `passkey-refused`, `passkey-exists` and `too-many-passkeys`.
 */
export async function addPasskey(
  app: App,
  session: Session,
  { response, name = 'Passkey' }: z.output<typeof passkeyInput.registration>,
  { cookieHeader, sessionId }: { cookieHeader: string | undefined; sessionId: string | null },
): Promise<Passkey> {
  const challenge = challengeOf(response.response.clientDataJSON) ?? ''
  await consumeChallenge(app, challenge, { cookieHeader, userId: session.userId })
  const { credential, credentialBackedUp } = await verifyRegistration(app, challenge, response)
  const id = newId()
  // The statement checks the count and the session, so concurrent requests cannot exceed the limit and an ended session adds
  // nothing.
  const { rowsAffected } = await app.db.client.execute({
    sql: `insert into passkeys (id, user_id, name, credential_id, public_key, counter, transports, backed_up, created_at)
      select ?, ?, ?, ?, ?, ?, ?, ?, ? where (select count(*) from passkeys where user_id = ?) < ${PASSKEYS_PER_PERSON}
        and ${SESSION_HOLDS}
      on conflict (credential_id) do nothing`,
    args: [
      id,
      session.userId,
      name,
      credential.id,
      Buffer.from(credential.publicKey).toString('base64url'),
      credential.counter,
      (response.response.transports ?? []).join(','),
      credentialBackedUp ? 1 : 0,
      app.now().getTime(),
      session.userId,
      sessionId,
      sessionId,
    ],
  })
  if (rowsAffected > 0) {
    tellOwner(app, session.userId, 'passkey-added', name)
    return findPasskey(app, session.userId, id)
  }
  const [known] = await app.db.orm
    .select({ id: passkeys.id })
    .from(passkeys)
    .where(eq(passkeys.credentialId, credential.id))
  if (known) throw new AppError('passkey-exists')
  const mine = await app.db.orm.$count(passkeys, eq(passkeys.userId, session.userId))
  throw mine >= PASSKEYS_PER_PERSON ? tooMany() : new AppError('unauthenticated')
}

async function verifyRegistration(
  app: App,
  expectedChallenge: string,
  response: z.output<typeof passkeyInput.registration>['response'],
) {
  const { rpId, origin } = relyingParty(app.config)
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const { registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch((cause: unknown) => {
    throw new AppError('passkey-refused', { cause })
  })
  if (!registrationInfo) throw new AppError('passkey-refused')
  return registrationInfo
}

const tooMany = (): AppError =>
  new AppError('too-many-passkeys', { detail: `Nobody has more than ${PASSKEYS_PER_PERSON}.` })

const shown = {
  id: passkeys.id,
  name: passkeys.name,
  createdAt: passkeys.createdAt,
  lastUsedAt: passkeys.lastUsedAt,
  backedUp: passkeys.backedUp,
}

const toPasskey = (row: Omit<Passkey, 'createdAt' | 'lastUsedAt'> & { createdAt: Date; lastUsedAt: Date | null }) => ({
  ...row,
  createdAt: row.createdAt.toISOString(),
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
})

const mine = (userId: string, id: string) => and(eq(passkeys.userId, userId), eq(passkeys.id, id))

/** The passkeys of a person, newest first. */
export async function listPasskeys(app: App, userId: string): Promise<Passkey[]> {
  const rows = await app.db.orm
    .select(shown)
    .from(passkeys)
    .where(eq(passkeys.userId, userId))
    .orderBy(desc(passkeys.id))
  return rows.map(toPasskey)
}

/** One passkey of a person. Throws `not-found`. */
async function findPasskey(app: App, userId: string, id: string): Promise<Passkey> {
  const [row] = await app.db.orm.select(shown).from(passkeys).where(mine(userId, id))
  if (!row) throw new AppError('not-found')
  return toPasskey(row)
}

/** The condition that a person has another passkey than this one. */
export const otherPasskey = (userId: string, withoutPasskey: string | null): SqlPart => ({
  sql: 'exists (select 1 from passkeys w where w.user_id = ? and w.id is not ?)',
  args: [userId, withoutPasskey],
})

/** Renames a passkey of a person. Throws `not-found`. */
export async function renamePasskey(app: App, userId: string, id: string, name: string): Promise<Passkey> {
  const [row] = await app.db.orm.update(passkeys).set({ name }).where(mine(userId, id)).returning(shown)
  if (!row) throw new AppError('not-found')
  noteAccountEvent(app, { kind: 'passkey-renamed', userId, subject: name })
  return toPasskey(row)
}

/**
 * Removes a passkey of a person, which stops working at once. Throws `not-found`, and `last-way-in` when they could not sign in
 * without it.
 */
export async function removePasskey(app: App, userId: string, id: string): Promise<void> {
  const { name } = await findPasskey(app, userId, id)
  const passkey = otherPasskey(userId, id)
  const account = otherWayIn(app, userId, null)
  const isSafe = app.config.customSignIn ? { sql: '1', args: [] } : account
  const [removed] = await app.db.client.batch(
    [
      {
        sql: `delete from passkeys where user_id = ? and id = ? and (${passkey.sql} or ${isSafe.sql})`,
        args: [userId, id, ...passkey.args, ...isSafe.args],
      },
      outdateSignIns('id = ?', [userId]),
    ],
    'write',
  )
  if (removed?.rowsAffected !== 1) {
    await findPasskey(app, userId, id)
    throw new AppError('last-way-in')
  }
  tellOwner(app, userId, 'passkey-removed', name)
}
