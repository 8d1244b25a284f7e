import { type Fragment, fragment, joined, slot } from './fragment'
import { orderBy, type Term } from './order'
import type { ReadPlan } from './read-plan'

/** What a page is cut out of. */
export interface PageShape {
  plan: ReadPlan
  scope?: Fragment
  conditions: readonly Fragment[]
  terms: readonly Term[]
  /** Stretches of the order, the first first and at least one; the whole order without them. */
  stretches?: readonly Fragment[]
  hasOffset?: boolean
  /** What is read of each row; everything when not given. */
  select?: Fragment
}

/** The SELECT of a page; its slots are `part.limit` and, with an offset, `part.offset` and their sum, `part.reach`. */
export function pageStatement(shape: PageShape): Fragment {
  return shape.plan.isKeysFirst && !shape.select ? keysFirst(shape) : cut(shape, shape.select ?? shape.plan.select)
}

function cut({ plan, scope, conditions, terms, stretches, hasOffset }: PageShape, select: Fragment): Fragment {
  const limit = fragment` limit ${slot('part', 'limit')}`
  const end = hasOffset ? fragment`${limit} offset ${slot('part', 'offset')}` : limit
  const stretch = (condition: Fragment | undefined, ending: Fragment) =>
    fragment`select ${select}${plan.body.page(scope, condition ? [...conditions, condition] : conditions)}${orderBy(terms)}${ending}`
  if (!stretches || stretches.length < 2) return stretch(stretches?.[0], end)
  // SQLite reads the parts one after another and stops at the limit.
  const reach = hasOffset ? fragment` limit ${slot('part', 'reach')}` : limit
  const parts = stretches.map(condition => fragment`select * from (${stretch(condition, reach)})`)
  return fragment`${joined(parts, ' union all ')}${end}`
}

// The keys come from an index alone; the wide rows are read for those of the page only.
function keysFirst(shape: PageShape): Fragment {
  const { plan, terms } = shape
  const keys = plan.key.map(({ sql }, index) => fragment`${sql} as k${String(index)}`)
  const same = plan.key.map(({ sql }, index) => fragment`${sql} = "keys".k${String(index)}`)
  const inner = cut(shape, joined(keys, ', '))
  return fragment`select ${plan.select}${plan.body.rows(fragment`(${inner}) as "keys"`, joined(same, ' and '))}${orderBy(terms)}`
}
