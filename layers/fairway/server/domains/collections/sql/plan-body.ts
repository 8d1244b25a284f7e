import type { Fragment } from './fragment'

/** The middle of the statements of a collection, with the conditions of a request. */
export interface PlanBody {
  /** ` from … where …` */
  page(scope: Fragment | undefined, conditions: readonly Fragment[]): Fragment
  /** The whole SELECT of a number; `tables` are those that the conditions read. */
  count(scope: Fragment | undefined, conditions: readonly Fragment[], tables: ReadonlySet<string>): Fragment
  /** The same rows, found by the keys that `keys` selects. */
  rows(keys: Fragment, isSame: Fragment): Fragment
  /** What the expression at this place of the rows is called there. */
  nameOf(part: Fragment, at: number): Fragment
}
