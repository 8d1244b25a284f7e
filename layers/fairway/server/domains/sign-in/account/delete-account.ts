// Deletes an account: the preview of what would be deleted and what would stay, and the transaction.
import { z } from 'zod'
import {
  forgetSharesSql,
  leaveAllStatements,
  listLeaving,
  countPersonalRows,
  findReceiver,
  isInDeleted,
  longestOwner,
  countHandedOver,
  findReceivers,
  openedOrganizations,
  type Receivers,
  refuseClosed,
  rowsRefused,
} from '#fairway/server/domains/organizations'
import {
  deletePersonStatement,
  endEmailLinksStatement,
  endedSessionCookie,
  endGrantsOf,
  endSessionsStatements,
  findPerson,
  isLocalIdentity,
  OPEN_CLAIM,
} from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { inTransaction } from '#fairway/server/kernel/database/in-transaction'
import type { PersonKey } from '#fairway/server/kernel/dependent-rows'
import { signsIn } from '#fairway/server/kernel/config/config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { languageOf, offered } from '#fairway/server/kernel/messages'
import { countRows, findTables, type TableOfRows, type Runs } from '#fairway/server/kernel/owned-rows'
import { SIGN_IN_PATH } from '#fairway/shared/paths'
import type { AccountEnd } from '#fairway/shared/schemas/account'
import type { Language } from '#fairway/shared/languages'
import { emailSchema } from '#fairway/shared/schemas/email'
import { mailContent } from '../../../kernel/mail/mail-content'
import { queueMail } from '../../../kernel/mail/queue-mail'
import { recordSecurityEvent } from '../../../kernel/security-events/record-security-event'
import type { Session } from '#fairway/shared/schemas/session'
import { partsOf, toClosedOrganizations } from './export-account'

export const deleteAccountInput = z.object({
  /** The address of the account, typed as confirmation. */
  email: emailSchema,
  /** Required when the sign-in is older than 15 minutes. */
  password: z.string().max(1024).optional(),
  /** The address of the member who takes over, by the organization's id. Default: the longest-standing owner. */
  receivers: z.record(z.string().max(64), emailSchema).default({}),
  /** The language of the page; the mail uses it. */
  language: z.string().max(35).optional(),
})

/**
 * Previews what deleting a person's account would delete and keep. Counts include organizations that are closed to the session,
 * but not their members. Changes nothing.
 */
export async function planAccountEnd(
  app: App,
  session: Session,
  language: Language = offered.defaultLanguage,
): Promise<Omit<AccountEnd, 'proof'>> {
  const { client } = app.db
  const { userId, email } = session
  const person = { userId, email, closedIds: [] }
  const { closed } = await openedOrganizations(app, session)
  const counts: Record<string, number> = {}
  for (const [name, { sql, args }] of Object.entries(partsOf(app, person))) {
    counts[name] = await countRows(client, `(${sql})`, args)
  }
  const organizations = await leavingWithRows(client, person, new Set(closed.map(({ closedOrg }) => closedOrg.id)))
  const goneOrgIds = organizations.filter(({ fate }) => fate === 'deleted').map(({ id }) => id)
  return {
    email,
    refusal: (await refusalFor(app, userId))?.code ?? null,
    organizations,
    rows: await countPersonalRows(app, { email, goneOrgIds }),
    counts,
    closedOrganizations: toClosedOrganizations(closed, language),
  }
}

/** The organizations that the person would leave, each with the rows that would be handed over, except in closed ones. */
const leavingWithRows = async (on: Runs, { userId, email }: PersonKey, closedIds: ReadonlySet<string>) =>
  Promise.all(
    (await listLeaving(on, userId)).map(async entry => {
      if (entry.fate !== 'left' || closedIds.has(entry.id)) return { ...entry, handOver: null }
      const leaver = { orgId: entry.id, email }
      const members = await findReceivers(on, leaver)
      const rows = await countHandedOver(on, leaver)
      return { ...entry, handOver: { rows, receivedBy: members[0] ?? null, members } }
    }),
  )

async function refusalFor(app: App, userId: string): Promise<AppError | undefined> {
  if (!signsIn(app.config)) return new AppError('sign-in-elsewhere')
  const person = await findPerson(app, { userId })
  // Another request has deleted the account in the meantime.
  if (!person) return new AppError('unauthenticated')
  return isLocalIdentity(person) ? new AppError('not-a-real-account') : undefined
}

interface Leaver extends Session {
  sessionId: string | null
}

/**
 * Deletes a person's account and data in one transaction; the cookies sign this browser out. Throws `address-mismatch`,
 * `sign-in-elsewhere`, `not-a-real-account`, `claim-needs-proof` for an unclaimed account, `last-owner` with the organizations,
 * `not-a-member` for a receiver, and `rows-refused`. Throws the errors of `checkOrgOpens` for a receiver in a closed organization,
 * and for a closed one without other members. Throws `unauthenticated` when another request has already deleted the account or
 * ended the session.
 */
export async function deleteAccount(
  app: App,
  person: Leaver,
  { email, language, receivers = {} }: z.input<typeof deleteAccountInput>,
  requestId: string,
): Promise<{ setCookies: string[] }> {
  const refusal = await refusalFor(app, person.userId)
  if (refusal) throw refusal
  if (email !== person.email) throw new AppError('address-mismatch')
  await refuseClosed(app, person, [...Object.keys(receivers), ...(await goneWith(app, person))])
  await inTransaction(app, on => deleteWithin(app, on, person, receivers)).catch((cause: unknown) => {
    throw rowsRefused(cause)
  })
  const { userId } = person
  app.log.info('account deleted', { userId, requestId })
  await recordSecurityEvent(app, { kind: 'account-deleted', userId, requestId, reason: 'by its owner' })
  if (app.mailer.isReady) {
    const href = new URL(SIGN_IN_PATH, app.config.baseUrl).href
    await queueMail(
      app,
      email,
      mailContent(app, 'account-deleted', { values: {}, href, language: languageOf(language) }),
    )
  }
  return { setCookies: [endedSessionCookie(app.config)] }
}

/**
 * The organizations that are deleted with an account, which only a session that opens them may do. People who lack the second
 * factor of the whole installation can delete their account, as everything of it is closed to them.
 */
async function goneWith(app: App, { userId, secondFactor }: Session): Promise<string[]> {
  if (secondFactor?.by === 'installation') return []
  return (await listLeaving(app.db.client, userId)).flatMap(({ id, fate }) => (fate === 'deleted' ? [id] : []))
}

async function deleteWithin(app: App, on: Runs, person: Leaver, receivers: Receivers): Promise<void> {
  const { userId, email, sessionId } = person
  const { rows } = await on.execute({ sql: OPEN_CLAIM, args: [userId, email, sessionId, sessionId] })
  if (!rows[0]) throw new AppError('unauthenticated')
  if (rows[0].isOpen === 1) throw new AppError('claim-needs-proof')
  const leaving = await listLeaving(on, userId)
  const blocking = leaving.filter(({ fate }) => fate === 'blocks')
  if (blocking.length > 0) {
    const names = blocking.map(({ id, name }) => ({ id, name }))
    throw new AppError('last-owner', { extra: { organizations: names } })
  }
  for (const { id: orgId, fate } of leaving)
    if (fate === 'left' && receivers[orgId]) await findReceiver(on, { orgId, email, receiver: receivers[orgId] })
  const tables = await findTables(on)
  const statements = [
    ...leaveAllStatements(app, { userId, leaving, tables, receivers }),
    ...tables.flatMap(table => forgetRowsStatements(table, email)),
    ...endGrantsOf(app, { userId, reason: 'account-deleted' }),
    ...endSessionsStatements(app, { userId }),
    endEmailLinksStatement(app, email),
    ...app.dependents.flatMap(declared => declared.forgetPerson?.({ userId, email }) ?? []),
    deletePersonStatement(userId),
  ]
  // Rows of a deleted organization refer to each other and are deleted in any order.
  if (leaving.some(({ fate }) => fate === 'deleted')) await on.execute('pragma defer_foreign_keys = on')
  for (const statement of statements) await on.execute(statement)
}

/**
 * Deletes the person's rows outside organizations, with their shares. Rows in an organization stay and go to its
 * longest-standing owner. The creator's address is cleared; the name stays.
 */
function forgetRowsStatements({ name, quoted, hasId, hasOrg, hasOwner, creators }: TableOfRows, email: string) {
  const args = [email]
  const history = creators.map(column => ({ sql: `update ${quoted} set ${column} = null where ${column} = ?`, args }))
  if (!hasOwner) return history
  const stays = {
    sql: `update ${quoted} set owner_email = ${longestOwner(quoted)} where owner_email = ? and ${longestOwner(quoted)} is not null`,
    args,
  }
  const isPersonal = `owner_email = ?${hasOrg ? ` and not ${isInDeleted(quoted)}` : ''}`
  const shares = { sql: forgetSharesSql(name, `resource_id in (select id from ${quoted} where ${isPersonal})`), args }
  return [
    ...history,
    ...(hasOrg ? [stays] : []),
    ...(hasId ? [shares] : []),
    { sql: `delete from ${quoted} where ${isPersonal}`, args },
  ]
}
