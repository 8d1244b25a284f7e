import type { SqlDeclaration } from '../collection'
import { checkFilters } from './filters'
import { fieldOf, type ReadPlan } from './read-plan'

/** Throws for an order, a cursor or a filter that the columns cannot serve. */
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
