// Pages of resources (RFC 7644 §3.4.2), and the attributes of an answer (§3.9).
import type { App } from '#fairway/server/kernel/app-context'
import type { InValue } from '#fairway/server/kernel/database/client'
import { ScimError } from './scim-error'
import { type Comparison, parseFilter } from './scim-filter'
import type { ScimDocument } from './scim-patch'

const MOST_PER_PAGE = 200
const CORE = /^urn:ietf:params:scim:schemas:core:2\.0:\w+:/

export interface PageQuery {
  filter?: string
  /** From 1 on; smaller ones count as 1 (RFC 7644 §3.4.2.4). */
  startIndex: number
  count: number
}

/** A table of resources of one organization. */
interface Listed {
  table: string
  columns: string
  /** SQL with `?` for each attribute that a filter may name. Columns named `…_key` are in lower case. */
  filters: Partial<Record<string, string>>
}

/** A page of rows, oldest first, with the total. Throws ScimError `invalidFilter`. */
export async function readPage<Row>(app: App, orgId: string, listed: Listed, { filter, startIndex, count }: PageQuery) {
  const { table, columns, filters } = listed
  const conditions = (filter ? parseFilter(filter) : []).map(each => conditionOf(filters, each))
  const where = ['org_id = ?', ...conditions.map(({ sql }) => sql)].join(' and ')
  const args = [orgId, ...conditions.map(({ value }) => value)]
  const first = Math.max(1, startIndex)
  const size = Math.min(Math.max(0, count), MOST_PER_PAGE)
  const [page, total] = await Promise.all([
    app.db.client.execute({
      sql: `select ${columns} from ${table} where ${where} order by created_at, id limit ? offset ?`,
      args: [...args, size, first - 1],
    }),
    app.db.client.execute({ sql: `select count(*) as total from ${table} where ${where}`, args }),
  ])
  return { rows: page.rows as unknown as Row[], total: Number(total.rows[0]?.total ?? 0), startIndex: first }
}

function conditionOf(filters: Listed['filters'], { attribute, value }: Comparison): { sql: string; value: InValue } {
  const sql = filters[attribute.replace(CORE, '')]
  if (!sql) throw new ScimError(`There is no filter for ${attribute}.`, 'invalidFilter')
  return { sql, value: sql.endsWith('_key = ?') ? value.toLowerCase() : value }
}

/** Which attributes an answer has. */
export interface Projection {
  keeps(attribute: string): boolean
  of(document: ScimDocument): ScimDocument
}

/** Reads `attributes` and `excludedAttributes`. `schemas` and `id` are always returned. */
export function projectionOf(query: URLSearchParams): Projection {
  const named = (parameter: string) =>
    (query.get(parameter) ?? '')
      .split(',')
      .map(name => name.trim().toLowerCase().replace(CORE, ''))
      .filter(Boolean)
  const only = named('attributes')
  const without = named('excludedAttributes')
  const isOnly = only.length > 0
  const isIn = (name: string) =>
    only.some(each => each === name || each.startsWith(`${name}.`) || each.startsWith(`${name}:`))
  const keeps = (attribute: string): boolean => {
    const name = attribute.toLowerCase()
    return ['schemas', 'id'].includes(name) || (!without.includes(name) && (!isOnly || isIn(name)))
  }
  const isKeptIn = (name: string) => (sub: string) => {
    const names = [`${name}.${sub}`, `${name}:${sub}`]
    const isNamed = (list: readonly string[]) => names.some(each => list.includes(each))
    return !isNamed(without) && (!isOnly || only.includes(name) || isNamed(only))
  }
  return {
    keeps,
    of: document =>
      Object.fromEntries(
        Object.entries(document).flatMap(([name, value]) =>
          keeps(name) ? [[name, partsOf(value, isKeptIn(name.toLowerCase()))]] : [],
        ),
      ),
  }
}

function partsOf(value: unknown, isKept: (sub: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map(entry => partsOf(entry, isKept))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).filter(([sub]) => isKept(sub.toLowerCase())))
}
