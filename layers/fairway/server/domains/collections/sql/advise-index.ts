import { getTableName } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { inBackground } from '#fairway/server/kernel/background'
import type { Field } from './fields'
import { quoted } from './fragment'
import type { Term } from './filters'
import type { ReadPlan } from './read-plan'

/** A statement and what an index for it would be made of. */
export interface Advisable {
  plan: ReadPlan
  sql: string
  /** The order of the rows; empty for a count. */
  terms: readonly Term[]
  /** The fields of the filters. */
  compared: readonly { field: Field; isEqual: boolean }[]
  /** The columns of the scope; undefined where no one index serves it. */
  scope: readonly string[] | undefined
}

/** In development: asks SQLite how it reads the rows, and logs a warning with the index that is missing when it sorts or scans. */
export function adviseIndex(app: App, input: Advisable): void {
  if (app.config.environment !== 'development') return
  inBackground(app, 'advise-index', async () => {
    const index = indexFor(input)
    if (!index) return
    const fault = faultOf(await app.db.explain(input.sql), input)
    if (fault) app.log.warn('a collection is slow without an index', { collection: tableOf(input), fault, index })
  })
}

const tableOf = ({ plan }: Advisable): string => getTableName(plan.source.root)

function faultOf(details: readonly string[], input: Advisable): string | undefined {
  const { terms, compared, scope = [] } = input
  if (terms.length > 0 && details.some(detail => /USE TEMP B-TREE FOR .*ORDER BY/.test(detail)))
    return 'sorts every row'
  const isChosen = scope.length > 0 || compared.length > 0
  const scan = new RegExp(String.raw`^SCAN "?${RegExp.escape(tableOf(input))}"?(?! USING (?:COVERING )?INDEX)`)
  return isChosen && details.some(detail => scan.test(detail)) ? 'looks at every row' : undefined
}

/** `create index … on table (columns)`: what is equal first, then the order, or else one range. */
function indexFor(input: Advisable): string | undefined {
  const { plan, terms, compared, scope } = input
  const columnOf = ({ column, tables }: Field) => (tables.size === 1 && tables.has(tableOf(input)) ? column : undefined)
  if (!scope || plan.isWrapped || terms.some(({ field }) => !columnOf(field))) return undefined
  const equal = compared.filter(({ isEqual }) => isEqual).flatMap(({ field }) => columnOf(field) ?? [])
  const ranges = compared.filter(({ isEqual }) => !isEqual).flatMap(({ field }) => columnOf(field) ?? [])
  const ordered = terms.map(
    ({ field, isDescending }) => `${quoted(columnOf(field) ?? '')}${isDescending ? ' desc' : ''}`,
  )
  const columns = [
    ...scope.map(quoted),
    ...equal.map(quoted),
    ...(terms.length > 0 ? ordered : ranges.slice(0, 1).map(quoted)),
  ]
  const unique = columns.filter((column, at) => !columns.slice(0, at).some(other => nameIn(other) === nameIn(column)))
  if (unique.length === 0) return undefined
  const table = tableOf(input)
  const name = [table, ...unique.map(column => nameIn(column).replaceAll('"', ''))].join('_').replaceAll('-', '_')
  return `create index ${name} on ${quoted(table)} (${unique.join(', ')})`
}

const nameIn = (column: string): string => column.replace(/ desc$/, '')
