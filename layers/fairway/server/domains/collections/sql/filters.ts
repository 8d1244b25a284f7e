// The SQL for the conditions and the order of a request, and checks that the columns support the declaration.
import { containsSql, MOST_SOUGHT, toSought } from '#fairway/server/kernel/folding/fold-sql'
import type { FilterCondition, SqlDeclaration } from '../collection'
import { type Field, orderedSql } from './fields'
import { applied, type Fragment, fragment, type ReadArg, slot, joined } from './fragment'
import type { OrderBy } from '../effective-options'
import { refused } from '../query/read-query'
import { fieldOf, type ReadPlan } from './read-plan'

type Form = '=' | 'any' | 'may contain' | 'contains' | '<' | '<=' | '>' | '>='

interface Parsed {
  field: Field
  form: Form
  value: ReadArg
}

/** Parses the values of the filters to the types of their columns. Throws `invalid-input` for values that do not parse. */
export function parseFilters(plan: ReadPlan, conditions: readonly FilterCondition[]) {
  const parsed = conditions.flatMap(condition => parse(plan, condition))
  return {
    /** Filters with the same key have the same SQL. */
    key: parsed.map(({ field, form }) => `${field.name} ${form}`).join(),
    values: parsed.map(({ value }) => value),
    conditions: () => parsed.map(({ field, form }, index) => conditionOf(field, form, index)),
    /** The fields that an index could use to find the rows. */
    compared: parsed
      .filter(({ form }) => form !== 'may contain' && form !== 'contains')
      .map(({ field, form }) => ({ field, isEqual: form === '=' || form === 'any' })),
    tables: new Set(parsed.flatMap(({ field }) => [...field.tables])),
  }
}

const operators = { lt: '<', lte: '<=', gt: '>', gte: '>=' } as const

function parse(plan: ReadPlan, condition: FilterCondition): Parsed[] {
  const field = fieldOf(plan, condition.field, 'filters')
  switch (condition.kind) {
    case 'exact': {
      const values = condition.values.filter(value => value !== '').map(value => toListed(field, value))
      const [only] = values
      if (only === undefined) return []
      if (values.length === 1) return [{ field, form: '=', value: only }]
      return [{ field, form: 'any', value: JSON.stringify(values) }]
    }
    case 'range': {
      const value = toValue(field, condition.value, `${field.name}[${condition.operator}]`)
      return [{ field, form: operators[condition.operator], value }]
    }
    case 'search':
      return parseSearch(field, condition.value)
  }
}

function parseSearch(field: Field, text: string): Parsed[] {
  if (text.length > MOST_SOUGHT)
    throw refused(field.name, `The search in ${field.name} should have at most ${MOST_SOUGHT} characters`)
  const sought = toSought(text)
  if (!sought) return []
  const byFolded: Parsed = { field, form: 'contains', value: sought.folded }
  return field.foldedColumn && field.folded
    ? [byFolded]
    : [{ field, form: 'may contain', value: sought.pattern }, byFolded]
}

function toListed(field: Field, text: string): ReadArg {
  if (field.values && !field.values.includes(text))
    throw refused(field.name, `The value of ${field.name} should be one of ${field.values.join(', ')}`)
  return toValue(field, text, field.name)
}

function toValue({ type }: Field, text: string, parameter: string): ReadArg {
  const value = type.parse(text)
  if (value === undefined) throw refused(parameter, `The value of ${parameter} should be ${expected[type.kind]}`)
  return value
}

/** The expected form of each kind of value, for the answer's `detail`. */
export const expected = {
  integer: 'a whole number',
  real: 'a number',
  text: 'a text',
  boolean: 'true or false',
  date: 'a date and time as ISO 8601 has it',
  other: 'left out',
} as const

function conditionOf({ sql, folded, foldedColumn }: Field, form: Form, index: number): Fragment {
  const value = slot('filter', index)
  // The same SQL for any number of values.
  if (form === 'any') return fragment`${sql} in (select value from json_each(${value}))`
  if (form === 'contains' && folded && foldedColumn) return fragment`instr(${folded}, ${value}) > 0`
  if (form === 'may contain') return applied(containsSql('\0')[0], sql, value)
  if (form === 'contains') return applied(containsSql('\0')[1], sql, value)
  return fragment`${sql} ${form} ${value}`
}

/** One part of an order; nulls are the lowest values. */
export interface Term {
  field: Field
  isDescending: boolean
}

/** The order of a page: the requested order, then the key in its default direction, which makes the order unique. */
export function pageOrder(
  plan: ReadPlan,
  order: readonly OrderBy[],
  keyDirection: OrderBy['direction'] = 'ASC',
): Term[] {
  const terms = order.map(({ field, direction }) => ({
    field: fieldOf(plan, field, 'order'),
    isDescending: direction === 'DESC',
  }))
  const rest = plan.key.filter(key => !terms.some(({ field }) => field.at === key.at))
  return [...terms, ...rest.map(field => ({ field, isDescending: keyDirection === 'DESC' }))]
}

/** The reversed order. */
export const reversed = (terms: readonly Term[]): Term[] =>
  terms.map(({ field, isDescending }) => ({ field, isDescending: !isDescending }))

/** ` order by …` */
export const orderBy = (terms: readonly Term[]): Fragment =>
  fragment` order by ${joined(
    terms.map(({ field, isDescending }) => fragment`${orderedSql(field)} ${isDescending ? 'desc' : 'asc'}`),
    ', ',
  )}`

/** Orders with the same key have the same SQL. */
export const orderKey = (terms: readonly Term[]): string =>
  terms.map(({ field, isDescending }) => `${field.name}${isDescending ? '-' : '+'}`).join()

/** Throws for an order, a cursor or a filter that the columns do not support. */
export function checkDeclaration(declaration: SqlDeclaration, plan: ReadPlan): void {
  const { filters, order, defaultOrder, pagination } = declaration
  checkFilters(plan, filters)
  for (const field of order) fieldOf(plan, field, 'order')
  for (const { field } of defaultOrder) fieldOf(plan, field, 'defaultOrder')
  const { paginationViaCursor, paginationCursorFormat } = pagination
  for (const { field } of paginationViaCursor ?? []) fieldOf(plan, field, 'paginationViaCursor')
  const hidden = plan.key.filter(({ name }) => !plan.fields.has(name))
  if (paginationViaCursor && paginationCursorFormat !== 'opaque' && hidden.length > 0)
    throw new Error(
      "paginationViaCursor: the links hold the primary key, so the item needs a field for it; allowed without one: paginationCursorFormat: 'opaque'",
    )
}

/** Throws for a declared filter that its column does not support. */
function checkFilters(plan: ReadPlan, declared: SqlDeclaration['filters']): void {
  for (const [name, kinds] of Object.entries(declared)) {
    const { kind } = fieldOf(plan, name, 'filters').type
    const allowed = [kinds].flat()
    if (allowed.includes('search') && kind !== 'text')
      throw new Error(`filters: ${name}: 'search' is for texts; allowed here are 'exact' and 'range'`)
    if (allowed.includes('range') && kind === 'boolean')
      throw new Error(`filters: ${name}: 'range' has no meaning for true and false; allowed here is 'exact'`)
  }
}
