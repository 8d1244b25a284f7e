// The work of `fw people import`.
import { createReadStream, statSync } from 'node:fs'
import { basename } from 'node:path'
import { recordWithin } from '../../server/domains/actions'
import type { ServerSession } from '../../server/domains/sessions'
import type { App } from '../../server/kernel/app-context'
import { AppError } from '../../server/kernel/http/app-error'
import { operatorSession } from '../local-app'
import { say, showProgress, UsageFault } from '../terminal'
import { ImportPlan, type Planned } from './plan-import'
import { type FileRow, readPeople } from './read-people'
import { writeImport } from './write-import'

interface ImportOptions {
  file: string
  'dry-run': boolean
  yes: boolean
  'create-organizations': boolean
  mail: boolean
  json: boolean
  operator?: string
}

/** Rows of one transaction. It takes some ten milliseconds, so other writers hardly wait. */
const AT_ONCE = 200

/** Imports the people of a file, or says what it would do; 1 when rows were refused. Throws a UsageFault for a wrong file. */
export async function importPeople(app: App, options: ImportOptions): Promise<number> {
  const { file, mail } = options
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new UsageFault(`There is no file ${file}.`)
  if (mail && !app.mailer.isReady) throw new AppError('mail-unavailable')
  const lacksYes = app.config.environment === 'production' && !options.yes
  const isDry = options['dry-run'] || lacksYes
  const write = isDry ? async (planned: Planned[]) => planned : await writer(app, options)
  const plan = new ImportPlan(app, { createsOrganizations: options['create-organizations'] })
  const report = new Report(options.json)
  for await (const rows of pieces(readPeople(createReadStream(file)))) report.add(await write(await plan.next(rows)))
  return report.end(isDry, lacksYes && !options['dry-run'])
}

async function writer(
  app: App,
  { file, mail, operator }: ImportOptions,
): Promise<(planned: Planned[]) => Promise<Planned[]>> {
  const session = await operatorSession(app, operator)
  let isNoted = false
  return async planned => {
    if (!isNoted) await noteImport(app, session, file)
    isNoted = true
    return writeImport(app, planned, { session, mails: mail })
  }
}

/** One row of the installation's audit log for each import; the organizations have one for each new member. */
const noteImport = (app: App, session: ServerSession | null, file: string): Promise<void> =>
  recordWithin(app, app.db.orm, {
    action: 'import-people',
    caller: 'cli',
    session,
    orgId: null,
    input: { file: basename(file) },
  })

async function* pieces(rows: AsyncIterable<FileRow>): AsyncGenerator<FileRow[]> {
  let piece: FileRow[] = []
  for await (const row of rows) {
    piece.push(row)
    if (piece.length < AT_ONCE) continue
    yield piece
    piece = []
  }
  if (piece.length > 0) yield piece
}

class Report {
  readonly #counts: Record<Planned['outcome'], number> = { created: 0, added: 0, exists: 0, refused: 0 }
  readonly #lines: object[] = []

  constructor(private readonly json: boolean) {}

  add(done: readonly Planned[]): void {
    showProgress('')
    for (const { row, email, outcome, detail } of done) {
      this.#counts[outcome] += 1
      if (this.json) this.#lines.push({ row, email, outcome, detail })
      else say([`row ${row}`, outcome, email, ...(detail ? [detail] : [])].join('  '))
    }
    showProgress(`${Object.values(this.#counts).reduce((sum, count) => sum + count)} rows`)
  }

  /** Writes the sums, and returns the exit code. */
  end(isDryRun: boolean, lacksYes: boolean): number {
    showProgress('')
    const { created, added, exists, refused } = this.#counts
    if (this.json) say(JSON.stringify({ isDryRun, ...this.#counts, rows: this.#lines }))
    else {
      say(`${created} created, ${added} added to an organization, ${exists} unchanged, ${refused} refused.`)
      if (isDryRun) say(`Nothing was written.${lacksYes ? ' With --yes, this is written.' : ''}`)
    }
    return refused === 0 ? 0 : 1
  }
}
