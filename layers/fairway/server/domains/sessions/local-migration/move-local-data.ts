import type { App } from '#fairway/server/kernel/app-context'
import { DEV_EMAIL, LEGACY_LOCAL_EMAIL } from '#fairway/server/kernel/config/config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import type { LocalMigrationPeople } from './define-local-migration'
import { claimHook } from './hook-claim'
import { findLocalTables, type LocalTable } from './local-tables'
import { moveStatements } from './move-statements'
import { type Run, toRun } from './statement'

type Target = Pick<Session, 'userId' | 'email' | 'orgId'>
type Counts = Record<string, number>

/** What was moved, and what the account had already (`kept`), for each table. */
export interface LocalMove {
  moved: Counts
  kept: Counts
  targetEmail: string
  /** Whose it was, and whose it is now. */
  people: LocalMigrationPeople
  /** True for the one move that is to call the template's hook. */
  isHookDue: boolean
}

/** How many rows of each table would be moved to this account now. */
export async function countLocalData(app: App, target: Target): Promise<{ available: boolean; tables: Counts }> {
  const run = toRun(app.db.client)
  const values = moveValues(await findLocalPeople(run), target)
  const tables: Counts = {}
  for (const table of await findLocalTables(run)) {
    tables[table.name] = await count(run, moveStatements(table).count, values)
  }
  return { available: Object.values(tables).some(rows => rows > 0), tables }
}

/**
 * Gives everything that belongs to the local identities to this account, all or nothing; what the account has already wins.
 * Of any number of callers one moves. Throws `local-rows-refused` when a table refuses a row by a rule of its own; nothing is moved then.
 */
export async function moveLocalData(app: App, target: Target, { hasHook }: { hasHook: boolean }): Promise<LocalMove> {
  const transaction = await app.db.client.transaction('write')
  try {
    const run = toRun(transaction)
    const from = await findLocalPeople(run)
    const move = await moveTables(run, moveValues(from, target))
    const isHookDue = hasHook && (await claimHook(run, target.userId))
    await transaction.commit()
    app.log.info('local data moved', { userId: target.userId, moved: move.moved, kept: move.kept })
    const { userId, email, orgId } = target
    return { ...move, targetEmail: email, people: { from, to: { userId, email, orgId } }, isHookDue }
  } finally {
    // Rolls back what was not committed.
    transaction.close()
  }
}

async function moveTables(run: Run, values: MoveValues): Promise<{ moved: Counts; kept: Counts }> {
  const moved: Counts = {}
  const kept: Counts = {}
  for (const table of await findLocalTables(run)) {
    const rows = await moveTable(run, table, values)
    moved[table.name] = rows.moved
    kept[table.name] = rows.kept
  }
  return { moved, kept }
}

async function moveTable(run: Run, table: LocalTable, values: MoveValues): Promise<{ moved: number; kept: number }> {
  const statements = moveStatements(table)
  if (statements.forgetShares) await run(statements.forgetShares, values)
  const moved = (await run(statements.move, values)).rowsAffected
  const kept = statements.dropKnown ? (await run(statements.dropKnown, values)).rowsAffected : 0
  const left = await count(run, statements.count, values)
  if (left === 0) return { moved, kept }
  throw new AppError('local-rows-refused', {
    detail: `Nothing was moved: ${left} rows of the table ${table.name} are refused by a rule of its own.`,
  })
}

type MoveValues = Record<'localIds' | 'localEmails' | 'targetId' | 'targetEmail' | 'targetOrg', string | null>

/** Who the local identities are in this database. */
async function findLocalPeople(run: Run): Promise<LocalMigrationPeople['from']> {
  const { rows } = await run(`select id, email from users where kind = 'dev' or email in (:dev, :legacy)`, {
    dev: DEV_EMAIL,
    legacy: LEGACY_LOCAL_EMAIL,
  })
  const emails = new Set([DEV_EMAIL, LEGACY_LOCAL_EMAIL, ...rows.map(row => String(row.email))])
  return { userIds: rows.map(row => String(row.id)), emails: [...emails] }
}

function moveValues({ userIds, emails }: LocalMigrationPeople['from'], target: Target): MoveValues {
  return {
    localIds: JSON.stringify(userIds),
    localEmails: JSON.stringify(emails),
    targetId: target.userId,
    targetEmail: target.email,
    targetOrg: target.orgId,
  }
}

const count = async (run: Run, sql: string, values: MoveValues): Promise<number> =>
  Number((await run(sql, values)).rows[0]?.n)
