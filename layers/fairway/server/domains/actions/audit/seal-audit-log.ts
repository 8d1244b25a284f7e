import { and, asc, eq, isNull, lte, or } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { type AuditRow, chainHash, chainOf } from './chain'
import { auditHeads, auditLog } from '../tables'

const PAUSE_IN_MS = 1000
/** How often rows are looked for that nobody here has written: those of an instance that died before it chained them. */
const LOOK_ANYWAY_IN_MS = 60_000
const MOST_ROWS = 200

interface Sealing {
  isDue: boolean
  lookedAt: number
}

const sealingOf = (app: App): Sealing => app.memo('audit-sealing', () => ({ isDue: true, lookedAt: 0 }))

/** Says that there is a row to chain. */
export const markUnsealed = (app: App): void => {
  sealingOf(app).isDue = true
}

/** Chains new rows every second while the process lives; gives a function that chains what is left and stops. */
export function startAuditSealing(app: App): () => Promise<void> {
  const look = async () => {
    const sealing = sealingOf(app)
    const now = app.now().getTime()
    if (!sealing.isDue && now - sealing.lookedAt < LOOK_ANYWAY_IN_MS) return
    Object.assign(sealing, { isDue: false, lookedAt: now })
    await sealAuditLog(app).catch((error: unknown) => {
      sealing.isDue = true
      app.log.warn('audit rows could not be chained, they will be later', { error })
    })
  }
  const timer = setInterval(() => void look(), PAUSE_IN_MS)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await look()
  }
}

/** Chains the rows that are not chained yet and count no more, in the order of their ids. Instances that do so at once cannot fork a chain: two rows cannot have one place. */
export async function sealAuditLog(app: App): Promise<void> {
  for (;;) {
    const rows = await app.db.orm
      .select()
      .from(auditLog)
      .where(and(isNull(auditLog.seq), or(isNull(auditLog.openUntil), lte(auditLog.openUntil, app.now()))))
      .orderBy(asc(auditLog.id))
      .limit(MOST_ROWS)
    for (const [chain, links] of Map.groupBy(rows, chainOf)) await extend(app, chain, links)
    if (rows.length < MOST_ROWS) return
  }
}

async function extend(app: App, chain: string, rows: AuditRow[]): Promise<void> {
  const [head = { seq: 0, hash: '' }] = await app.db.orm.select().from(auditHeads).where(eq(auditHeads.chain, chain))
  let { seq, hash } = head
  const links = rows.map(row => {
    seq += 1
    hash = chainHash(app, row, seq, hash)
    return { id: row.id, times: row.times, seq, hash }
  })
  await app.db.client.batch(
    [
      {
        sql: `insert into audit_heads (chain, seq, hash) select ?, ?, ?
          where coalesce((select seq from audit_heads where chain = ?), 0) = ?
            and not exists (select 1 from json_each(?) link join audit_log row on row.id = link.value ->> '$.id'
              where row.seq is not null or row.times <> link.value ->> '$.times')
          on conflict (chain) do update set seq = excluded.seq, hash = excluded.hash`,
        args: [chain, seq, hash, chain, head.seq, JSON.stringify(links.map(({ id, times }) => ({ id, times })))],
      },
      // Nothing is chained when somebody else has extended the chain, chained these rows, or counted one of them up, meanwhile.
      ...links.map(link => ({
        sql: `update audit_log set chain = ?, seq = ?, hash = ? where id = ? and seq is null
          and exists (select 1 from audit_heads where chain = ? and seq = ? and hash = ?)`,
        args: [chain, link.seq, link.hash, link.id, chain, seq, hash],
      })),
    ],
    'write',
  )
}
