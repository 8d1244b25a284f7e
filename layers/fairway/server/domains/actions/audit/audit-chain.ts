import { and, asc, eq, isNull, lte, or, gt, sql } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { inBackground } from '#fairway/server/kernel/background'
import { constantTimeEqual, hmacBase64 } from '#fairway/server/kernel/crypto/hash'
import { requireRun } from '#fairway/server/kernel/current-run'
import { defineJob, queueJob, runsJobs } from '#fairway/server/kernel/jobs'
import { auditLog, auditHeads } from '../tables'

export type AuditRow = typeof auditLog.$inferSelect

const PURPOSE = 'audit-chain'

/** The chain that a row belongs to. */
const chainOf = ({ orgId }: Pick<AuditRow, 'orgId'>): string => orgId ?? 'none'

/** The text that is hashed for a row: all its content, its position, and the hash of the row before it. */
function content(row: AuditRow, seq: number, before: string): string {
  const { id, at, action, caller, via, userId, userEmail, orgId, outcome, errorCode, requestId, input, times } = row
  const { subjectType, subjectId, subjectTitle } = row
  return JSON.stringify([
    before,
    seq,
    id,
    at.getTime(),
    action,
    caller,
    via,
    userId,
    userEmail,
    orgId,
    outcome,
    errorCode,
    requestId,
    input,
    // Rows that count once keep the format from before `times` existed, because both versions may run side by side during an
    // update.
    ...(times === 1 ? [] : [times]),
    // Rows from before subjects existed keep their format.
    ...(subjectType === null ? [] : [[subjectType, subjectId, subjectTitle]]),
  ])
}

/** The hash of a row at this position, with the current key. Write access to the database is not enough to forge one. */
function chainHash(app: App, row: AuditRow, seq: number, before: string): string {
  const key = app.config.keys.current(PURPOSE)
  return `${key.id}.${hmacBase64(key.secret, content(row, seq, before))}`
}

/** Checks the hash of a row at this position; `unknown-key` when the secret that made it is no longer configured. */
function checkChainHash(app: App, row: AuditRow, seq: number, before: string): 'good' | 'wrong' | 'unknown-key' {
  const [keyId, mac = ''] = (row.hash ?? '').split('.')
  const key = app.config.keys.all(PURPOSE).find(({ id }) => id === keyId)
  if (!key) return 'unknown-key'
  return constantTimeEqual(mac, hmacBase64(key.secret, content(row, seq, before))) ? 'good' : 'wrong'
}

/** The rows of each half second are chained together. */
const PAUSE_IN_MS = 500
const MOST_ROWS = 200

/** Chains new rows. It also runs once a minute, for rows of processes that died and of the command line. */
export const sealAuditJob = defineJob({
  description: 'Chains new rows of the audit log.',
  schedule: '* * * * *',
  timeout: 60,
  run: () => sealAuditLog(requireRun().app),
})
const SEAL_AUDIT = { name: 'fw-seal-audit', job: sealAuditJob }

/** Queues a job that chains new rows soon, if this process runs jobs. */
export function sealSoon(app: App): void {
  const sealing = app.memo('audit-sealing', () => ({ queuedFor: 0 }))
  const at = (Math.floor(app.now().getTime() / PAUSE_IN_MS) + 1) * PAUSE_IN_MS
  if (!runsJobs(app) || sealing.queuedFor === at) return
  sealing.queuedFor = at
  inBackground(app, 'audit-sealing', async () => {
    await queueJob(app, app.db.orm, SEAL_AUDIT, {}, { at: new Date(at), key: String(at) })
  })
}

/**
 * Chains the rows that are not chained yet and no longer count, in the order of their ids. Concurrent instances cannot fork a
 * chain, because two rows cannot have the same position.
 */
export async function sealAuditLog(app: App): Promise<void> {
  for (;;) {
    const rows = await app.db.orm
      .select()
      .from(auditLog)
      .where(
        and(
          isNull(auditLog.seq),
          or(isNull(auditLog.openUntil), isNull(auditLog.fold), lte(auditLog.openUntil, app.now())),
        ),
      )
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
      // These updates do nothing when another instance has extended the chain, chained these rows or increased one of their
      // counts.
      ...links.map(link => ({
        sql: `update audit_log set chain = ?, seq = ?, hash = ? where id = ? and seq is null
          and exists (select 1 from audit_heads where chain = ? and seq = ? and hash = ?)`,
        args: [chain, link.seq, link.hash, link.id, chain, seq, hash],
      })),
    ],
    'write',
  )
}

const PIECE = 500
/** A row that was written or counted longer ago than this should already be chained. */
const PATIENCE_IN_MS = 5 * 60 * 1000

/**
 * Verifies every chain from its first row and reports each break in one sentence. Calls `onProgress` with the number of rows
 * checked. The `head` of a chain is the hash of its newest row: a copy kept elsewhere proves later that nothing before it was
 * changed.
 */
export async function verifyAuditLog(app: App, onProgress?: (rows: number) => void) {
  const heads = await app.db.orm.select().from(auditHeads).orderBy(asc(auditHeads.chain))
  const reports: Awaited<ReturnType<typeof verifyChain>>[] = []
  let seen = 0
  for (const head of heads) {
    const report = await verifyChain(app, head, rows => onProgress?.(seen + rows))
    seen += report.rows
    reports.push(report)
  }
  const late = await app.db.orm.$count(
    auditLog,
    and(
      isNull(auditLog.seq),
      sql`coalesce(${auditLog.openUntil}, ${auditLog.at}) < ${app.now().getTime() - PATIENCE_IN_MS}`,
    ),
  )
  if (late > 0) reports.push({ chain: 'none yet', rows: late, head: '', faults: [`${late} rows are not chained`] })
  return reports
}

async function verifyChain(app: App, head: typeof auditHeads.$inferSelect, onProgress: (rows: number) => void) {
  const { chain } = head
  const faults: string[] = []
  let seq = 0
  let before = ''
  for (;;) {
    const rows = await app.db.orm
      .select()
      .from(auditLog)
      .where(and(eq(auditLog.chain, chain), gt(auditLog.seq, seq)))
      .orderBy(asc(auditLog.seq))
      .limit(PIECE)
    for (const row of rows) {
      const place = row.seq ?? 0
      if (place !== seq + 1) faults.push(`rows ${seq + 1} to ${place - 1} are missing`)
      else {
        const outcome = checkChainHash(app, row, place, before)
        if (outcome === 'wrong') faults.push(`row ${place} (${row.id}) or the one before it was changed`)
        if (outcome === 'unknown-key')
          faults.push(`row ${place} (${row.id}) was chained with a secret that is not known here`)
      }
      seq = place
      before = row.hash ?? ''
    }
    onProgress(seq)
    if (rows.length < PIECE) break
  }
  if (seq !== head.seq) faults.push(`rows ${seq + 1} to ${head.seq} are missing at the end`)
  else if (before !== head.hash) faults.push('the last row is not the one that was chained last')
  return { chain, rows: seq, head: before, faults }
}
