import { and, asc, eq, gt, isNull, sql } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { checkChainHash } from './chain'
import { auditHeads, auditLog } from '../tables'

const PIECE = 500
/** A row that was written or counted up longer ago than this should be chained. */
const PATIENCE_IN_MS = 5 * 60 * 1000

export interface ChainReport {
  chain: string
  rows: number
  /** The hash of the last row; kept elsewhere, it proves later that nothing before it was changed. */
  head: string
  /** What is wrong, one sentence each, the first first; empty when the chain holds. */
  faults: string[]
}

/** Walks every chain from its first row and says where one does not hold; calls `onProgress` with the rows seen so far. */
export async function verifyAuditLog(app: App, onProgress?: (rows: number) => void): Promise<ChainReport[]> {
  const heads = await app.db.orm.select().from(auditHeads).orderBy(asc(auditHeads.chain))
  const reports: ChainReport[] = []
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
  return { chain, rows: seq, head: before, faults } satisfies ChainReport
}
