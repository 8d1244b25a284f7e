// Refusals that the row decided: by its policy, or by whose it is.
import { eq, getTableName } from 'drizzle-orm'
import { type CatalogEntry, subjectsOf } from '#fairway/server/domains/actions'
import type { CollectionEntry } from '#fairway/server/domains/collections'
import {
  addressIn,
  type Asking,
  findShare,
  listEveryone,
  mayWith,
  peopleIn,
  personOf,
  policyOf,
  type SharedTable,
  type Somebody,
  whoMay,
} from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { withRun } from '#fairway/server/kernel/current-run'
import type { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import type { Reason, Target } from './recording'
import { findRow, type FoundRow } from './tables'

export interface Catalogs {
  actions: readonly CatalogEntry[]
  collections: readonly CollectionEntry[]
}

/** A refusal, and what is known of it. */
export interface Case {
  app: App
  catalogs: Catalogs
  target: Target
  error: AppError
}

/** What was asked for, as a developer calls it. */
export const nameOf = ({ kind, name }: Pick<Target, 'kind' | 'name'>): string =>
  kind === 'mcp' ? 'The MCP endpoint' : `The ${kind} ${name}`
/** The address of a person, or nobody. */
export const whoIs = (session: Session | null): string => session?.email ?? 'Nobody'

/** The addresses of those who can change roles in an organization, five at most. */
export const managersOf = (people: readonly Somebody[], orgId: string): string[] =>
  people
    .filter(({ organizations }) => organizations.some(({ id, role }) => id === orgId && role !== 'member'))
    .map(({ email }) => email)
    .slice(0, 5)

/** By the policy of a table, or by the row that was asked for, where there is one, or none; undefined where no id was sent. */
export async function rowReason(asked: Case): Promise<Reason | undefined> {
  const byPolicy = await policyReason(asked)
  if (byPolicy) return byPolicy
  const { app, target, error } = asked
  const { ids, session } = target
  if (ids.length === 0) return undefined
  for (const id of ids) {
    const row = await findRow(app, id)
    if (row?.ownerEmail !== undefined) return visibilityReason(app, { row, session, error, target })
  }
  if (error.code !== 'not-found') return undefined
  return {
    rule: `${nameOf(target)} found nothing that this person may see.`,
    fact: `No table with ownableColumns(), and none that an action names in \`audit.subject\`, has a row with the id ${ids.join(' or ')}.`,
    wayOut: 'See whether the id is right, and whether the row was deleted (Tables).',
  }
}

/** By the policy of a table, or because its rows belong to an organization; undefined where something else has decided. */
async function policyReason(asked: Case): Promise<Reason | undefined> {
  const { session } = asked.target
  if (!session) return undefined
  const own = ownTable(asked)
  // `accessDenied` and `requireCreate` name in the error who may.
  if (asked.error.code === 'forbidden' && asked.error.extra?.allowed !== undefined)
    return own && ruledReason(asked, { session, table: own, row: await findRuledRow(asked, [own]) })
  if (asked.error.code !== 'not-found') return undefined
  const row = await findRuledRow(asked, [own, ...ruledTables(asked)])
  return row && ruledReason(asked, { session, table: row.table, row })
}

interface Ruled {
  session: Session
  table: SharedTable
  /** Undefined for a row that was to be created. */
  row: RuledRow | undefined
}

async function ruledReason({ app, target, error }: Case, { session, table, row }: Ruled): Promise<Reason> {
  const person = await withRun({ app, session }, () => personOf(app.db.orm, table, session, row?.id ?? null))
  const name = getTableName(table)
  const decides = policyOf(table) ? `the policy of ${name}` : `rows of ${name} belong to their organization`
  const rule = row && error.code === 'not-found' ? readingRule(row, person) : (error.detail ?? '')
  return {
    rule: `${nameOf(target)}: ${decides}. ${rule}`,
    fact: [standing(app, session, person), ...(row ? rowFacts(row, person) : [])].join(' '),
    wayOut: policyWayOut(await listEveryone(app), session, row),
  }
}

/** A row of a table with a policy, or of one whose rows belong to the organization. */
interface RuledRow {
  table: SharedTable
  id: string
  orgId: string | null
  values: Readonly<Record<string, unknown>>
}

/** The table that the action writes, or that the collection reads first. */
function ownTable({ catalogs, target: { kind, name } }: Case): SharedTable | undefined {
  if (kind === 'action') return catalogs.actions.find(each => each.name === name)?.action.subject?.table
  const [root = ''] = catalogs.collections.find(each => each.name === name)?.collection.tables ?? []
  return subjectsOf(catalogs.actions).get(root)?.table
}

const ruledTables = ({ catalogs }: Case): SharedTable[] =>
  [...subjectsOf(catalogs.actions).values()].map(({ table }) => table)

async function findRuledRow(
  { app, target }: Case,
  tables: readonly (SharedTable | undefined)[],
): Promise<RuledRow | undefined> {
  for (const table of tables) {
    if (!table || ('visibility' in table && !policyOf(table))) continue
    for (const id of target.ids) {
      const [values] = await app.db.orm.select().from(table).where(eq(table.id, id))
      if (values) return { table, id, values, orgId: typeof values.orgId === 'string' ? values.orgId : null }
    }
  }
  return undefined
}

function readingRule({ table, values, orgId }: RuledRow, person: Asking): string {
  const policy = policyOf(table)
  const mayRead = policy ? mayWith(table, 'read', values, person) : orgId === person.orgId
  return mayRead
    ? 'It lets this person read the row, so the code itself answers 404.'
    : `Only ${whoMay(policy?.rules.read ?? [{ kind: 'member' }], values)} can read this. Others are told 404.`
}

function standing({ config }: App, { email, orgName }: Session, { orgRole, appRole }: Asking): string {
  if (orgName === null) return `${email} works without an organization.`
  const role = appRole === null ? 'without an app role' : `with the app role ${appRole}`
  return `${email} works in ${orgName} as ${orgRole ?? 'nobody'}${config.appRoles ? `, ${role}` : ''}.`
}

const rowFacts = ({ table, values }: RuledRow, { share }: Asking): string[] => [
  ...peopleIn(table).map(
    column => `Its ${column === 'createdBy' ? 'creator' : column} is ${String(addressIn(values, column) ?? 'nobody')}.`,
  ),
  ...(share === null ? [] : [`It is shared with them as ${share}.`]),
]

function policyWayOut(people: readonly Somebody[], session: Session, row: RuledRow | undefined): string {
  if (row && row.orgId !== null && row.orgId !== session.orgId) return elsewhere(people, { orgId: row.orgId, session })
  const managers = managersOf(people, session.orgId ?? '').join(', ') || 'An owner'
  return `${managers} can give roles under Team. The rules are in \`definePolicy\` beside the table.`
}

interface RowCase {
  row: FoundRow
  session: Session | null
  error: AppError
  target: Target
}

async function visibilityReason(app: App, { row, session, error, target }: RowCase): Promise<Reason> {
  const { table, id, ownerEmail, orgId, visibility } = row
  const who = whoIs(session)
  const share = session && (await findShare(app, table, id, session.userId))
  const people = await listEveryone(app)
  const place = placeOf(people, orgId)
  const wanted =
    error.code === 'forbidden' ? (error.detail ?? 'It was not enough.') : 'Whoever may not read it is told 404.'
  return {
    rule: `${nameOf(target)}: visibility and shares of the row in ${table} (\`accessibleTo\`). ${wanted}`,
    fact: `The row belongs to ${ownerEmail}, in ${place}, visibility ${visibility}, ${share ? `shared with ${who} as ${share}` : 'no share'}.`,
    wayOut:
      orgId !== null && orgId !== session?.orgId
        ? elsewhere(people, { orgId, session })
        : `${ownerEmail} can share it, or set its visibility: \`org\` lets every member read, \`org-edit\` read and change.`,
  }
}

function placeOf(people: readonly Somebody[], orgId: string | null): string {
  if (orgId === null) return 'no organization'
  const organizations = people.flatMap(person => person.organizations)
  return organizations.find(({ id }) => id === orgId)?.name ?? `the organization ${orgId}`
}

/** What to do about a row of an organization that the person does not work in. */
const elsewhere = (
  people: readonly Somebody[],
  { orgId, session }: { orgId: string; session: Session | null },
): string =>
  `${whoIs(session)} works in ${session?.orgName ?? 'no organization'}, where rows of others never open. ${wayInto(people, { orgId, place: placeOf(people, orgId), session })}`

function wayInto(
  people: readonly Somebody[],
  { orgId, place, session }: { orgId: string; place: string; session: Session | null },
): string {
  const own = people.find(({ userId }) => userId === session?.userId)
  if (own?.organizations.some(({ id }) => id === orgId)) return `Switch to ${place}.`
  return `${managersOf(people, orgId).join(', ') || 'An owner'} can invite them to ${place} under Team.`
}
