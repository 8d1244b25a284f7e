import type { RowStatement } from '#fairway/server/kernel/database/client'
import { bind, fragment, slot } from './fragment'
import type { PreparedRead } from './prepared-read'
import type { ReadPlan } from './read-plan'

/** Finds one item by the text in its address: the field `id`, or the key. Undefined for a text that is no such value. */
export function itemStatement({ fields, key }: ReadPlan) {
  const field = fields.get('id') ?? (key.length === 1 ? key[0] : undefined)
  return (read: PreparedRead, id: string): RowStatement | undefined => {
    const value = field?.type.parse(id)
    if (!field || value === undefined) return undefined
    const isIt = fragment`${field.sql} = ${slot('part', 'id')}`
    const statement = read.statement(
      { key: 'item' },
      (scope, conditions) =>
        fragment`select ${read.plan.select}${read.plan.body.page(scope, [...conditions, isIt])} limit 1`,
    )
    return bind(statement, { ...read.values, part: { id: value } })
  }
}
