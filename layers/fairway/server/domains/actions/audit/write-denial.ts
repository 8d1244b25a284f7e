import { isNull, sql } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { newId } from '#fairway/server/kernel/crypto/random'
import { auditLog } from '../tables'

type NewRow = typeof auditLog.$inferInsert

const HOUR_IN_MS = 60 * 60 * 1000

/**
 * Writes a denial: the first of its kind in an hour as a row of its own, all others as the count of a second row, which is chained
 * when the hour is over. Its kind is who was denied what, where, by which surface and why.
 */
export async function writeDenial(app: App, row: NewRow): Promise<void> {
  const hour = Math.floor(row.at.getTime() / HOUR_IN_MS)
  const { userId, orgId, caller, via, action, errorCode } = row
  const fold = sha256(JSON.stringify([hour, userId, orgId, caller, via, action, errorCode]))
  const [first] = await app.db.orm
    .insert(auditLog)
    .values({ ...row, fold })
    .onConflictDoNothing({ target: auditLog.fold })
    .returning({ id: auditLog.id })
  if (first) return
  const openUntil = new Date((hour + 1) * HOUR_IN_MS)
  const [counted] = await app.db.orm
    .insert(auditLog)
    .values({ ...row, input: null, fold: `${fold}+`, openUntil })
    .onConflictDoUpdate({
      target: auditLog.fold,
      set: { times: sql`${auditLog.times} + 1` },
      setWhere: isNull(auditLog.seq),
    })
    .returning({ id: auditLog.id })
  // Another instance, whose clock is ahead, has chained the count already.
  if (!counted) await app.db.orm.insert(auditLog).values({ ...row, id: newId() })
}
