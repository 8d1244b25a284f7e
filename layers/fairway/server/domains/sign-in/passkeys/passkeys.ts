import { and, desc, eq } from 'drizzle-orm'
import { outdateSignIns, passkeys, tellOwner } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Passkey } from '#fairway/shared/schemas/sign-in-factors'

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

/** The passkeys of a person, the newest first. */
export async function listPasskeys(app: App, userId: string): Promise<Passkey[]> {
  const rows = await app.db.orm
    .select(shown)
    .from(passkeys)
    .where(eq(passkeys.userId, userId))
    .orderBy(desc(passkeys.id))
  return rows.map(toPasskey)
}

/** One passkey of a person; throws `not-found`. */
export async function findPasskey(app: App, userId: string, id: string): Promise<Passkey> {
  const [row] = await app.db.orm.select(shown).from(passkeys).where(mine(userId, id))
  if (!row) throw new AppError('not-found')
  return toPasskey(row)
}

/** Gives a passkey of a person another name; throws `not-found`. */
export async function renamePasskey(app: App, userId: string, id: string, name: string): Promise<Passkey> {
  const [row] = await app.db.orm.update(passkeys).set({ name }).where(mine(userId, id)).returning(shown)
  if (!row) throw new AppError('not-found')
  return toPasskey(row)
}

/** Removes a passkey of a person, which from then on opens nothing; throws `not-found`. */
export async function removePasskey(app: App, userId: string, id: string): Promise<void> {
  const [removed] = await app.db.client.batch(
    [
      { sql: 'delete from passkeys where user_id = ? and id = ?', args: [userId, id] },
      outdateSignIns('id = ?', [userId]),
    ],
    'write',
  )
  if (removed?.rowsAffected !== 1) throw new AppError('not-found')
  tellOwner(app, userId, 'passkey-removed')
}
