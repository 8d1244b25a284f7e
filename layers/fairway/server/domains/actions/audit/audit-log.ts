import { and, gte, lt, type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import { jsonOf } from '#fairway/server/kernel/declaration'
import { type ExportFile, type ExportFormat, exportOf } from '#fairway/server/kernel/export-rows'
import { containsText } from '#fairway/server/kernel/folding/fold-sql'
import type { DependentRows } from '#fairway/server/kernel/dependent-rows'
import {
  matching,
  type Paging,
  readPage,
  rowsByTime,
  textFilter,
  timeFilter,
} from '#fairway/server/kernel/database/read-page'
import { type Actor, membershipJoin } from '#fairway/server/domains/organizations'
import { PEOPLE } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import {
  AUDIT_CALLERS,
  AUDIT_OUTCOMES,
  type AuditEntry,
  type AuditPage,
  type AuditPerson,
} from '#fairway/shared/schemas/audit'
import { withUndoable } from '../undo/may-undo'
import { type Subjects, toEntries, typesWithHiddenTitle } from './audit-subject'
import { auditLog } from '../tables'

/** The filters of the audit log as query parameters; times are ISO 8601. */
export const auditFilterShape = {
  action: textFilter,
  email: z.string().trim().toLowerCase().max(200).optional(),
  caller: z.enum(AUDIT_CALLERS).optional(),
  outcome: z.enum(AUDIT_OUTCOMES).optional(),
  /** The row that was written, for example `notes/019f4f7e-…`. */
  subject: z
    .string()
    .regex(/^[^/]{1,200}\/.{1,200}$/, 'must be a table and an id, with a slash between')
    .optional(),
  /** Part of the action, the person's address, the item's title or what the row keeps. */
  search: textFilter,
  from: timeFilter,
  until: timeFilter,
}
const filterSchema = z.object(auditFilterShape)
type AuditFilter = z.output<typeof filterSchema>

/** The statements of the log; a test checks that indexes serve them. */
export function auditStatements(
  app: App,
  orgId: string,
  { email, subject, search, from, until, ...values }: AuditFilter,
  hiddenTypes: readonly string[] = [],
) {
  const [subjectType, ...id] = subject?.split('/') ?? []
  const subjectId = subject && id.join('/')
  const where = and(
    matching(auditLog, { ...values, orgId, userEmail: email || undefined, subjectType, subjectId }),
    from && gte(auditLog.at, from),
    until && lt(auditLog.at, until),
    search ? containsText(searched(hiddenTypes), search) : undefined,
  )
  return rowsByTime(app.db.ormApart, auditLog, auditLog.at, where)
}

/** The text of a row that a search looks in, without titles that the reader may not see. */
const searched = (hiddenTypes: readonly string[]): SQL => {
  const { action, userEmail, input, subjectType, subjectTitle, requestId } = auditLog
  const hidden = JSON.stringify(hiddenTypes)
  return sql`(replace(${action}, '-', ' ') || char(10) || ${action} || char(10) || coalesce(${userEmail}, '') || char(10)
    || ${requestId} || char(10) || coalesce(${input}, '') || char(10)
    || case when ${subjectType} in (select value from json_each(${hidden})) then '' else coalesce(${subjectTitle}, '') end)`
}

/** Returns one page of the audit log of the caller's organization, newest first. */
export async function listAuditLog(
  app: App,
  { orgId, session }: Actor,
  { page, itemsPerPage, total, ...filter }: AuditFilter & Paging,
  subjects: Subjects = new Map(),
): Promise<Omit<AuditPage, 'hosts'>> {
  const list = auditStatements(app, orgId, filter, typesWithHiddenTitle(subjects))
  const countAll = async () => (await app.db.prepareRead<{ n: number }>(ALL)([orgId, orgId]))[0]?.n ?? 0
  const isFiltered = Object.values(filter).some(Boolean)
  const [{ rows, ...counted }, actions] = await Promise.all([
    readPage({ page, itemsPerPage, total }, list.page, isFiltered ? list.count : countAll),
    listActions(app, orgId),
  ])
  const entries = await withUndoable(app, session, await toEntries(app, session, subjects, rows))
  return { entries, people: await peopleIn(app, orgId, entries), ...counted, actions }
}

/**
 * The number of rows of an organization, without counting all of them: its chain has no gaps, and few rows are not chained yet.
 */
export const ALL = `select coalesce((select max(seq) from audit_log where chain = ?), 0)
  + (select count(*) from audit_log where seq is null and +org_id = ?) as n`

/** Jumps from one action to the next in the index instead of reading all rows. */
export const ACTIONS = `with recursive found(action) as (
    select min(action) from audit_log where org_id = ?
    union all
    select (select min(action) from audit_log where org_id = ? and action > found.action) from found where found.action is not null
  ) select action from found where action is not null`

const listActions = async (app: App, orgId: string): Promise<string[]> =>
  (await app.db.prepareRead<{ action: string }>(ACTIONS)([orgId, orgId])).map(({ action }) => action)

const PERSON = 'u.id as userId, u.email as email, u.name as name, u.image as image'
const IN = 'in (select value from json_each(?))'
const ACTED = `select ${PERSON} from ${PEOPLE} where u.id ${IN}
  union all select user_id, email, name, null from fw_ended_people where user_id ${IN}`
const NAMED = `select ${PERSON} from ${PEOPLE} ${membershipJoin('?')} where u.email ${IN}`

/**
 * The people who acted, and the members of the organization whose addresses the entries mention. Addresses of other people are
 * not resolved.
 */
export async function peopleIn(app: App, orgId: string | null, entries: AuditEntry[]): Promise<AuditPerson[]> {
  const ids = [...new Set(entries.flatMap(({ userId }) => userId ?? []))]
  const emails = [...new Set(entries.flatMap(({ input }) => addressesIn(input)))]
  const [acted, named] = await Promise.all([
    ids.length > 0 ? app.db.prepareRead<AuditPerson>(ACTED)([JSON.stringify(ids), JSON.stringify(ids)]) : [],
    orgId && emails.length > 0 ? app.db.prepareRead<AuditPerson>(NAMED)([orgId, JSON.stringify(emails)]) : [],
  ])
  return [...new Map([...acted, ...named].map(person => [person.userId, { ...person }])).values()]
}

const addressSchema = z.looseObject({ email: z.string() })

function addressesIn(input: string | null): string[] {
  // An input that exceeds the limit of a row was cut, so it is no longer valid JSON.
  const { data } = addressSchema.safeParse(jsonOf(input ?? ''))
  return data ? [data.email] : []
}

/** The names of deleted accounts are kept when organizations have their rows in their log. */
export const actionsRows: DependentRows = {
  forgetOrganization: ({ sql: condition, args }) => [{ sql: `delete from fw_undo_calls where ${condition}`, args }],
  forgetPerson: ({ userId }) => [
    { sql: 'delete from fw_undo_calls where user_id = ?', args: [userId] },
    {
      sql: `insert or ignore into fw_ended_people select u.id, u.email, u.name from ${PEOPLE}
        where u.id = ? and exists (select 1 from audit_log a where a.user_id = u.id and a.org_id is not null)`,
      args: [userId],
    },
  ],
}

/** The columns of a row in exports and webhook events. */
export const EXPORTED_COLUMNS = [
  'at',
  'action',
  'caller',
  'via',
  'userEmail',
  'outcome',
  'errorCode',
  'times',
  'input',
  'requestId',
  'seq',
  'hash',
  'id',
  'subjectType',
  'subjectId',
  'subjectTitle',
] as const

interface ExportedEntry extends Omit<AuditEntry, 'subject'> {
  subjectType?: string
  subjectId?: string
  subjectTitle?: string | null
}

/** Returns all matching rows as a file, oldest first. */
export function exportAuditLog(
  app: App,
  { orgId, session }: Actor,
  { format, ...filter }: AuditFilter & { format: ExportFormat },
  subjects: Subjects = new Map(),
): ExportFile {
  const { piece } = auditStatements(app, orgId, filter, typesWithHiddenTitle(subjects))
  return exportOf<ExportedEntry>(
    'audit-log',
    { format, columns: [...EXPORTED_COLUMNS, 'clientAddress', 'device', 'changes'] },
    async (after, limit) => {
      const entries = await toEntries(app, session, subjects, await piece(after, limit))
      return entries.map(({ subject, ...entry }) => ({
        ...entry,
        subjectType: subject?.type,
        subjectId: subject?.id,
        subjectTitle: subject?.title,
      }))
    },
  )
}
