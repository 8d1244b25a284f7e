// The apps and API tokens of the members of an organization: searched, sorted, and page by page.
import { sql } from 'drizzle-orm'
import { z } from 'zod'
import { PERSON_TEXT, shownNameSql } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { withValues } from '#fairway/server/kernel/database/orm'
import { countedShape, readSortedTotal } from '#fairway/server/kernel/database/read-sorted'
import { containsText, foldedSql } from '#fairway/server/kernel/folding/fold-sql'
import { GRANT_ORDERS, type OrganizationGrantPage } from '#fairway/shared/schemas/connection'
import { OPERATOR_SCOPE } from '#fairway/shared/scopes'
import { type AppRow, hasScope, isListed, listedColumns, listedFrom, toConnectedApp } from './grants'

/** The query of the list. */
export const grantsInput = z.object({
  /** Part of the app's name, or of the person's name or address. */
  search: z.string().max(200).optional(),
  /** Only those that may change something. */
  writing: z.stringbool().optional(),
  ...countedShape(GRANT_ORDERS),
})

/** What each order compares. */
const ORDERS = {
  name: sql.raw(foldedSql('g.client_name')),
  person: sql.raw(foldedSql(shownNameSql())),
  // As the index has it.
  lastUsedAt: sql.raw('case when g.last_used_at is null then 0 else g.last_used_at end'),
}
const LATEST_FIRST = { field: 'lastUsedAt', isDescending: true } as const
// Each row is joined with its person, membership and organization.
const MOST_COUNTED = 1000
const MAY_WRITE = sql.raw(`(${hasScope('g.scope', 'mcp:write')} or ${hasScope('g.scope', OPERATOR_SCOPE)})`)

/** Returns one page of the apps and API tokens of an organization's members, most recently used first by default. */
export async function listGrantPage(
  app: App,
  orgId: string,
  { search = '', writing, ...query }: Partial<z.output<typeof grantsInput>>,
): Promise<OrganizationGrantPage> {
  const where = sql.join(
    [
      sql`g.org_id = ${orgId}`,
      withValues(isListed(app.config), [app.now().getTime()]),
      containsText(sql.raw(`(g.client_name || char(10) || ${PERSON_TEXT.textOf('u')})`), search.trim()),
      ...(writing ? [MAY_WRITE] : []),
    ],
    sql` and `,
  )
  const list = {
    values: ORDERS,
    id: sql.raw('g.id'),
    from: sql.raw(listedFrom),
    where,
    first: LATEST_FIRST,
    mostCounted: MOST_COUNTED,
  }
  const { rows, ...page } = await readSortedTotal(app.db.orm, list, query, ({ sortValue, isOnPage, orderBy }) =>
    app.db.orm.all<AppRow & { sortValue: string | number }>(
      sql`select ${sql.raw(listedColumns)}, ${sortValue} as sortValue from ${sql.raw(listedFrom)} where ${isOnPage} order by ${orderBy}`,
    ),
  )
  return { grants: rows.map(row => toConnectedApp(app, row)), ...page }
}
