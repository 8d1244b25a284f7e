// Writes what an import has planned.
import { recordWithin } from '../../server/domains/actions'
import { importMemberStatements, importOrganizationStatement } from '../../server/domains/organizations'
import { importAccountStatements } from '../../server/domains/people'
import type { ServerSession } from '../../server/domains/sessions'
import type { App } from '../../server/kernel/app-context'
import type { InStatement } from '../../server/kernel/database/client'
import { withValues } from '../../server/kernel/database/orm'
import { AppError } from '../../server/kernel/http/app-error'
import { mailContent } from '../../server/kernel/mail/mail-content'
import { queueMail, writeMail } from '../../server/kernel/mail/queue-mail'
import { offered } from '../../server/kernel/messages'
import { personEventsStatements } from '../../server/kernel/security-events/record-security-event'
import { SIGN_IN_PATH } from '../../shared/paths'
import type { Planned } from './plan-import'

interface Writing {
  session: ServerSession | null
  /** Whether people without a password get a mail with a link to the sign-in page. */
  mails: boolean
}

/** The transaction. */
type Tx = Parameters<typeof writeMail>[1]

const AGAIN = 'Somebody else changed it meanwhile. Run the import again.'

/** Writes the rows in one transaction, and returns what became of them. A row that the database refuses leaves nothing. */
export async function writeImport(app: App, planned: readonly Planned[], writing: Writing): Promise<Planned[]> {
  const written = planned.filter(({ account, member }) => account ?? member)
  if (written.length === 0) return [...planned]
  try {
    const done = await app.db.orm.transaction(tx => writeRows(app, tx, written, writing))
    warnOfAdditional(app, planned)
    if (writing.mails && !app.mailer.isRemote) for (const email of done.mailed) await queueMail(app, email, mailOf(app))
    return planned.map(each => outcomeOf(each, done))
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error
    if (planned.length === 1)
      return planned.map(({ row, email }) => ({ row, email, outcome: 'refused', detail: error.message }))
    // One row was refused, and the transaction left none of them.
    const each: Planned[] = []
    for (const one of planned) each.push(...(await writeImport(app, [one], writing)))
    return each
  }
}

/** An account that exists gets another organization (SPEC: organizations rule 7). */
function warnOfAdditional(app: App, planned: readonly Planned[]): void {
  for (const { account, organization } of planned)
    if (organization && !account)
      app.log.warn('an additional organization was created for an account that exists', { organization })
}

interface Done {
  /** The accounts that were created, and the memberships, as `orgId userId`. */
  accounts: Set<string>
  members: Set<string>
  mailed: string[]
}

const memberKey = ({ orgId, userId }: { orgId: string; userId: string }): string => `${orgId} ${userId}`

function outcomeOf(planned: Planned, done: Done): Planned {
  const { row, email, account, member } = planned
  if (account && !done.accounts.has(account.id)) return { row, email, outcome: 'exists', detail: AGAIN }
  if (member && !done.members.has(memberKey(member))) return { row, email, outcome: 'refused', detail: AGAIN }
  return planned
}

async function writeRows(app: App, tx: Tx, rows: readonly Planned[], writing: Writing): Promise<Done> {
  const all = ({ sql, args }: Statement) => tx.all<Record<string, string>>(withValues(sql, args))
  const accounts = rows.flatMap(({ account }) => account ?? [])
  const [creating, ...more] = importAccountStatements(app, accounts) as Statement[]
  const created = new Set((await all(creating!)).map(({ id }) => String(id)))
  const event = { kind: 'account-imported', reason: 'by an operator', userIds: [...created] } as const
  const members = rows.flatMap(({ member }) => member ?? [])
  const statements = [
    ...more,
    ...(created.size > 0 ? personEventsStatements(app, event) : []),
    ...rows.flatMap(({ organization }) => (organization ? importOrganizationStatement(app, organization) : [])),
    ...(members.length > 0 ? importMemberStatements(app, members) : []),
  ] as Statement[]
  let joined: Record<string, string>[] = []
  for (const statement of statements) joined = await all(statement)
  const keys = new Set(members.length > 0 ? joined.map(row => memberKey(row as never)) : [])
  await recordMembers(app, tx, rows, { keys, session: writing.session })
  const mailed = writing.mails
    ? accounts.flatMap(({ id, email, passwordHash }) => (passwordHash === null && created.has(id) ? email : []))
    : []
  if (app.mailer.isRemote) for (const to of mailed) await writeMail(app, tx, { to, content: mailOf(app) })
  return { accounts: created, members: keys, mailed }
}

type Statement = Extract<InStatement, { args?: unknown }> & { args: unknown[] }

/** Writes a row of the audit log for each new member, in their organization. */
async function recordMembers(
  app: App,
  tx: Tx,
  rows: readonly Planned[],
  { keys, session }: { keys: ReadonlySet<string>; session: ServerSession | null },
): Promise<void> {
  const joined = rows.flatMap(({ email, member }) =>
    member && keys.has(memberKey(member)) ? { email, ...member } : [],
  )
  for (const [orgId, members] of Map.groupBy(joined, ({ orgId }) => orgId))
    await recordWithin(app, tx, {
      action: 'import-member',
      caller: 'cli',
      session,
      orgId,
      input: members.map(({ email, role }) => ({ email, role })),
    })
}

const mailOf = (app: App) =>
  mailContent(app, 'account-imported', {
    values: {},
    href: app.config.baseUrl + SIGN_IN_PATH,
    language: offered.defaultLanguage,
  })
