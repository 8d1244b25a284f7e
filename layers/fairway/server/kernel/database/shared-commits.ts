// Full sync makes a commit wait for the disk, and that is most of the cost of a small write. All writes that wait for their turn
// therefore share one transaction, and at a server one request.
import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'
import type { Client, InStatement, ResultSet } from '@libsql/client'
import { isBusy } from './database-error'
import { retryBusy } from './mutex'

/** A request to write: one statement, or several in one transaction. */
export interface Writing {
  statements: readonly InStatement[]
  isBatch: boolean
}

/** The result of a writing. */
export type Written = { results: ResultSet[] } | { error: unknown }

/** What writes for several callers. */
export interface Writer {
  execute(statement: InStatement): Promise<ResultSet>
  batch: Client['batch']
  /**
   * Writes the requests of several callers with one commit, in this order. An error undoes and fails only the writing that caused
   * it. Returns undefined, without any write, where they cannot share a transaction (one of them ended it, or the commit failed).
   * Throws errors that prevent a transaction, for example a lock.
   */
  writeTogether(writings: readonly Writing[]): Promise<Written[] | undefined>
}

interface SharedCommits {
  /** Writes together with the other requests of this turn; the results are on the disk when it resolves. */
  enqueue(writer: Writer, writing: Writing): Promise<ResultSet[]>
  /** Starts a new group: later requests run after those that already wait. */
  close(): void
}

interface SharedCommitOptions {
  /** Runs when all earlier requests are done. */
  turn(run: () => Promise<void>): Promise<void>
  /** Reserves the connection for one call. */
  use: Use
  /** How long a write that is requested now waits for a lock, as a time on the clock of `performance.now()`. */
  deadline(): number
  /** Called with the statements of writes that end, whether they succeeded or failed. */
  onWrite(statements: readonly InStatement[]): void
}

type Use = <T>(run: () => Promise<T>) => Promise<T>

interface PendingWrite {
  writing: Writing
  until: number
  answer: PromiseWithResolvers<ResultSet[]>
}

// Calls to a file are synchronous: this many statements block the event loop for a few milliseconds. At a server they hold the
// write lock for about as long.
const MOST_TOGETHER = 256
/** A writing with less than this left when a lock persists is not tried again. */
const LAST_ATTEMPT_IN_MS = 100

/** Collects the writes of one turn of the loop. Callers learn of a success only after the commit. */
export function createSharedCommits({ turn, use, deadline, onWrite }: SharedCommitOptions): SharedCommits {
  let gathering: { writes: PendingWrite[]; statements: number } | undefined

  const close = (): void => {
    gathering = undefined
  }

  return {
    close,
    enqueue(writer, writing) {
      const pending: PendingWrite = { writing, until: deadline(), answer: Promise.withResolvers<ResultSet[]>() }
      if (!gathering) {
        const group = (gathering = { writes: [], statements: 0 })
        void turn(async () => {
          await nextTurnOfTheLoop()
          if (gathering === group) close()
          await commit({ writer, use, onWrite }, group.writes)
        })
      }
      gathering.writes.push(pending)
      gathering.statements += writing.statements.length
      if (gathering.statements >= MOST_TOGETHER) close()
      return pending.answer.promise
    },
  }
}

interface Committing extends Pick<SharedCommitOptions, 'use' | 'onWrite'> {
  writer: Writer
}

async function commit(by: Committing, group: readonly PendingWrite[]): Promise<void> {
  const [first, ...others] = group
  if (!first) return
  if (others.length === 0) return writeAlone(by, first)
  const writings = group.map(({ writing }) => writing)
  try {
    const written = await retryBusy(() => by.use(() => by.writer.writeTogether(writings)), first.until)
    if (written) settle(by, group, written)
    else for (const pending of group) await writeAlone(by, pending)
  } catch (error) {
    const hasTime = ({ until }: PendingWrite) => isBusy(error) && until > performance.now() + LAST_ATTEMPT_IN_MS
    const [waiting, done] = [group.filter(hasTime), group.filter(pending => !hasTime(pending))]
    settle(
      by,
      done,
      done.map(() => ({ error })),
    )
    await commit(by, waiting)
  }
}

async function writeAlone(by: Committing, pending: PendingWrite): Promise<void> {
  const { statements, isBatch } = pending.writing
  const [only] = statements
  const run = async () =>
    isBatch || !only ? by.writer.batch([...statements], 'write') : [await by.writer.execute(only)]
  const written = await retryBusy(() => by.use(run), pending.until).then(
    results => ({ results }),
    (error: unknown) => ({ error }),
  )
  settle(by, [pending], [written])
}

function settle({ onWrite }: Committing, group: readonly PendingWrite[], written: readonly Written[]): void {
  onWrite(group.flatMap(({ writing }) => writing.statements))
  for (const [index, { answer }] of group.entries()) {
    const outcome = written[index]
    if (outcome && 'results' in outcome) answer.resolve(outcome.results)
    else answer.reject(outcome?.error)
  }
}
