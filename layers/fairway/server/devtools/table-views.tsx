/** @jsxImportSource vue */
import { Empty, matches, pathOf } from './frame'
import { ROWS_ON_A_PAGE, type readTable, type TableFacts } from './tables'

const rowsOf = (count: number): string => (count === 1 ? '1 row' : `${count} rows`)

/** Every table of both journals. */
export function tablesView(tables: readonly TableFacts[], search: string) {
  const matching = tables.filter(({ name, columns }) => matches(search, name, ...columns.map(column => column.name)))
  if (matching.length === 0) return [<Empty text="No table matches." />]
  const groups = Map.groupBy(matching, ({ isPlatform }) => (isPlatform ? 'Platform' : 'Application'))
  return [...groups].flatMap(([group, list]) => [
    <h2>{group}</h2>,
    <div class="list">
      {list.map(({ name, columns, rows }) => (
        <a class="row" id={`table-${name}`} href={pathOf('tables', `/${encodeURIComponent(name)}`)}>
          <span class="mono">{name}</span>
          <span class="grow muted mono secondary">{columns.map(column => column.name).join(', ')}</span>
          <span class="ms">{rowsOf(rows)}</span>
        </a>
      ))}
    </div>,
  ])
}

/** The rows of one table; values that open something are masked. */
export function tableView(
  { table, rows, total }: NonNullable<Awaited<ReturnType<typeof readTable>>>,
  { page, search }: { page: number; search: string },
) {
  const last = Math.max(1, Math.ceil(total / ROWS_ON_A_PAGE))
  const query = (to: number) => `?${new URLSearchParams({ ...(search ? { q: search } : {}), page: String(to) })}`
  return [
    <p class="title">
      <a href={pathOf('tables')}>Tables</a>
      <span class="mono">{table.name}</span>
      <span class="muted">{`${rowsOf(total)}, read only`}</span>
    </p>,
    rows.length === 0 ? (
      <Empty text="No rows." />
    ) : (
      <div class="scroll" tabindex="0" role="region" aria-label={table.name}>
        <table>
          <thead>
            <tr>
              {table.columns.map(({ name, type, isKey }) => (
                <th scope="col" title={type}>{`${name}${isKey ? ' ●' : ''}`}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(row => (
              <tr>
                {row.map(value => (
                  <td class={value === 'null' || value === '••••' ? 'muted' : ''} title={value}>
                    {value}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    ),
    <p class="pager">
      {page > 1 ? (
        <a class="button" href={query(page - 1)}>
          Previous
        </a>
      ) : null}
      <span class="muted">{`Page ${page} of ${last}`}</span>
      {page < last ? (
        <a class="button" href={query(page + 1)}>
          Next
        </a>
      ) : null}
    </p>,
  ]
}
