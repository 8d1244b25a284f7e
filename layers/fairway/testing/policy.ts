import { getTableColumns, getTableName, Param, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { expect } from 'vitest'
import { canColumns, policyOf, accessibleTo, type SharedTable, personColumn } from '../server/domains/organizations'
import { shares, teamMembers } from '../server/schema'
import { TEAM_TYPE } from '../server/kernel/owned-rows'
import type { App } from '../server/kernel/app-context'
import { withRun } from '../server/kernel/current-run'
import { ORG_ROLES, type OrgRole } from '../shared/roles'
import { mayCreateRow, type PersonInput, sessionOf, type TestPerson, type Who } from './people'

/** A person and their rights: `read`, `create`, `update`, `delete`, and the names of fields with a rule that they may write. */
export type PolicyMatrix = Readonly<Record<string, readonly string[]>>

export interface PolicyExpectation {
  /**
   * Compares the policy of the table with the expected rights of these people. People are roles of the organization (`member`,
   * `admin`, `owner`), roles and permissions of the application, people by their column (`creator`, `assignee`), people that a
   * row is shared with (`viewer`, `editor`), people of its team (`team`) and an `outsider`.
   */
  toBe(matrix: PolicyMatrix): Promise<void>
  /**
   * Makes these calls one after the other as a person who acts on a stored row, and compares each outcome with the policy: a call
   * that it allows must succeed, and any other must fail with `not-found` or `forbidden`. Returns what the policy allowed at first.
   */
  toDecide(who: Who, id: string, calls: PolicyCalls): Promise<string[]>
}

/** The calls of one person, by the right that they need. */
export type PolicyCalls = { readonly [right in 'read' | 'update' | 'delete']?: () => Promise<unknown> }

type MakePerson = (input?: PersonInput) => Promise<TestPerson>

/** Evaluates the policy of a table on a row that is not stored. */
export function createPolicyExpectations(app: App, person: MakePerson) {
  let tables = 0
  return (table: SharedTable, row: Readonly<Record<string, unknown>> = {}): PolicyExpectation => ({
    async toBe(matrix) {
      if (!policyOf(table)) throw new Error(`${getTableName(table)} has no policy: declare one with definePolicy`)
      const organization = `Policy ${++tables}`
      const owner = await person({ organization })
      const cases: [string, readonly string[]][] = []
      for (const who of Object.keys(matrix)) {
        const input = inputFor(app, table, who)
        const asking = await person(
          who === 'outsider' ? { organization: `Outside ${tables}` } : { ...input, organization },
        )
        cases.push([who, await mayDo(app, { table, who, asking, row: { ...row, orgId: owner.orgId } })])
      }
      expect(Object.fromEntries(cases)).toEqual(sorted(matrix))
    },
    async toDecide(who, id, calls) {
      const session = await sessionOf(app, who)
      const rights = () => rightsOf(app, { table, session, from: sql`${table} where ${table.id} = ${id}` })
      const first = await rights()
      for (const [right, call] of Object.entries(calls)) {
        const expected = (await rights()).includes(right) ? 'succeeds' : 'is refused'
        const outcome = await call().then(() => 'succeeds', refusalOf)
        expect(outcome, `${right} of ${getTableName(table)} by ${who.email}`).toBe(expected)
      }
      return first
    },
  })
}

const SHARED = ['viewer', 'editor'] as const
const shareOf = (table: SharedTable, who: string) =>
  'visibility' in table ? SHARED.find(role => role === who) : undefined

/** The columns of the table that name a team, for people of it. */
const teamColumns = (table: SharedTable, who: string): string[] =>
  who === 'team'
    ? Object.entries(getTableColumns(table)).flatMap(([name, column]) =>
        column.getSQLType() === TEAM_TYPE ? [name] : [],
      )
    : []

/** Returns the role that a name of the matrix has in the organization. Throws for an unknown name. */
function inputFor(app: App, table: SharedTable, who: string): PersonInput {
  if (columnFor(table, who) || shareOf(table, who) || teamColumns(table, who).length > 0 || who === 'outsider')
    return { role: 'member' }
  const role = ORG_ROLES.find(each => each === who)
  if (role) return { role: role satisfies OrgRole }
  if (app.config.appRoles?.roles.includes(who)) return { role: 'member', appRole: who }
  if (app.config.permissions.names.includes(who)) return { role: 'member', permissions: [who] }
  throw new Error(
    `expectPolicy: ${who} is no role of the organization, no role or permission of the application, and no column of ${getTableName(table)} made by person()`,
  )
}

const columnFor = (table: SQLiteTable, who: string) => {
  const column = personColumn(table, who === 'creator' ? 'createdBy' : who)
  return column && (who === 'owner' || column.getSQLType().startsWith('text_')) ? column : undefined
}

interface AccessQuestion {
  table: SharedTable
  who: string
  asking: TestPerson
  row: Readonly<Record<string, unknown>>
}

async function mayDo(app: App, { table, who, asking, row }: AccessQuestion): Promise<string[]> {
  const session = await sessionOf(app, asking)
  const named = columnFor(table, who)
  const id = `policy-${asking.userId}`
  const ofTeam = teamColumns(table, who)
  const columns = Object.entries(getTableColumns(table)).map(([name, column]) => {
    const value = name === 'id' || ofTeam.includes(name) ? id : column === named ? asking.email : row[name]
    return sql`${new Param(value ?? null, column)} as ${sql.identifier(column.name)}`
  })
  const share = shareOf(table, who)
  if (share)
    await app.db.orm.insert(shares).values({
      resource: getTableName(table),
      resourceId: id,
      userId: asking.userId,
      role: share,
      orgId: String(row.orgId),
      sharedBy: asking.userId,
      sharedAt: app.now(),
    })
  if (ofTeam.length > 0)
    await app.db.orm.insert(teamMembers).values({
      orgId: String(row.orgId),
      teamId: id,
      userId: asking.userId,
      addedBy: asking.userId,
      addedAt: app.now(),
    })
  const rights = await rightsOf(app, { table, session, from: sql`(select ${sql.join(columns, sql`, `)}) as ${table}` })
  const isCreator = who !== 'outsider' && (await mayCreateRow(app, table, session))
  return inOrder([...rights, ...(isCreator ? ['create'] : [])])
}

type TestSession = Awaited<ReturnType<typeof sessionOf>>

/** Returns what the policy allows on the one row of `from`. */
const rightsOf = (
  app: App,
  { table, session, from }: { table: SharedTable; session: TestSession; from: SQL },
): Promise<string[]> =>
  withRun({ app, session }, async () => {
    const may = { read: sql`coalesce(${accessibleTo(table, session)}, 0)`, ...canColumns(table, session) }
    const list = Object.entries(may).map(([name, is]) => sql`${is} as ${sql.identifier(name)}`)
    const [row] = await app.db.orm.all<Record<string, number>>(sql`select ${sql.join(list, sql`, `)} from ${from}`)
    return inOrder(Object.keys(may).filter(name => row?.read === 1 && row[name] === 1))
  })

function refusalOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'not-found' || code === 'forbidden') return 'is refused'
  throw error
}

const ORDER = ['read', 'create', 'update', 'delete']
const inOrder = (names: readonly string[]): string[] => [
  ...ORDER.filter(name => names.includes(name)),
  ...names.filter(name => !ORDER.includes(name)).toSorted(),
]
const sorted = (matrix: PolicyMatrix) =>
  Object.fromEntries(Object.entries(matrix).map(([who, names]) => [who, inOrder(names)]))
