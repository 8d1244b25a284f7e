/** @jsxImportSource vue */
import { callersOf, type CatalogEntry, inputJsonSchema } from '#fairway/server/domains/actions'
import type { CollectionEntry } from '#fairway/server/domains/collections'
import type { Config } from '#fairway/server/kernel/config/config'
import { Chip, Empty, matches, pathOf } from './frame'
import { guardName } from './explain-denial'
import { ROWS_ON_A_PAGE, type readTable, type TableFacts } from './tables'

/** Every action with its rules, its schema and the command that runs it. */
export function actionsView(catalog: readonly CatalogEntry[], search: string, config: Config) {
  const found = catalog.filter(({ name, group, action }) => matches(search, name, group, action.description))
  if (found.length === 0) return [<Empty text="No action matches." hint="An action is a file below server/actions." />]
  const groups = Map.groupBy(found, ({ group, isPlatform }) => group || (isPlatform ? 'platform' : 'application'))
  return [...groups].flatMap(([group, entries]) => [
    <h2>{group}</h2>,
    <div class="list">
      {entries.map(entry => (
        <ActionRow entry={entry} config={config} />
      ))}
    </div>,
  ])
}

const ActionRow = ({ entry: { name, action }, config }: { entry: CatalogEntry; config: Config }) => {
  const { kind, roles, text } = callersOf(action, config)
  const surfaces = [action.http ? 'HTTP' : '', action.mcp ? 'MCP' : '', 'command line', ...action.embed].filter(Boolean)
  const schema = inputJsonSchema(action)
  const command = `npx fw action ${name}${exampleOf(schema)}`
  return (
    <details id={`action-${name}`}>
      <summary>
        <span class="mono">{name}</span>
        <span class="grow muted secondary">{action.description}</span>
        {action.destructive ? <Chip text="destructive" tone="bad" /> : null}
        {action.readOnly ? <Chip text="reads" tone="good" /> : null}
      </summary>
      <div class="inside">
        <dl>
          <dt>Does</dt>
          <dd>{action.description}</dd>
          <dt>Callers</dt>
          <dd>{text ?? (roles ? `${roles.join(', ')} (${kind})` : kind)}</dd>
          <dt>Surfaces</dt>
          <dd>{surfaces.join(', ')}</dd>
          <dt>Run it</dt>
          <dd>
            {action.http ? (
              <a href={`/tools/${encodeURIComponent(name)}`} target="_top">
                As a form, under Tools
              </a>
            ) : (
              'By MCP or the command line'
            )}
          </dd>
        </dl>
        <Command text={command} />
        <pre tabindex="0">{JSON.stringify(schema, null, 2)}</pre>
      </div>
    </details>
  )
}

const exampleOf = ({ required = [] }: { required?: readonly string[] }): string =>
  required.map(field => ` --${field} …`).join('')

const Command = ({ text }: { text: string }) => (
  <div class="command">
    <pre>{text}</pre>
    <button type="button" data-copy={text}>
      Copy
    </button>
  </div>
)

/** Every collection with the queries that a client may send to it. */
export function collectionsView(catalog: readonly CollectionEntry[], search: string) {
  const found = catalog.filter(({ name, collection }) => matches(search, name, collection.description))
  if (found.length === 0)
    return [<Empty text="No collection matches." hint="A collection is a file below server/collections." />]
  return [
    <div class="list">
      {found.map(entry => (
        <CollectionRow entry={entry} />
      ))}
    </div>,
  ]
}

const CollectionRow = ({ entry: { name, collection } }: { entry: CollectionEntry }) => (
  <details id={`collection-${name}`}>
    <summary>
      <span class="mono">{name}</span>
      <span class="grow muted secondary">{collection.description}</span>
      {collection.public ? <Chip text="public" tone="warn" /> : null}
      {collection.guard ? <Chip text={guardName(collection.guard).replaceAll('`', '')} /> : null}
    </summary>
    <div class="inside">
      <dl>
        <dt>Is</dt>
        <dd>{collection.description}</dd>
        <dt>Fields</dt>
        <dd class="mono">{Object.keys(collection.item.shape).join(', ')}</dd>
        <dt>Filters</dt>
        <dd class="mono">
          {Object.entries(collection.filters)
            .map(([field, kinds]) => `${field} (${[kinds].flat().join(', ')})`)
            .join(', ') || 'none'}
        </dd>
        <dt>Order</dt>
        <dd class="mono">{collection.order.join(', ') || 'as declared'}</dd>
        <dt>Link</dt>
        <dd>
          <a class="mono" href={`/${name}`} target="_blank">{`/${name}`}</a>
        </dd>
      </dl>
    </div>
  </details>
)

const rowsOf = (count: number): string => (count === 1 ? '1 row' : `${count} rows`)

/** Every table of both journals. */
export function tablesView(tables: readonly TableFacts[], search: string) {
  const found = tables.filter(({ name, columns }) => matches(search, name, ...columns.map(column => column.name)))
  if (found.length === 0) return [<Empty text="No table matches." />]
  const groups = Map.groupBy(found, ({ isPlatform }) => (isPlatform ? 'Platform' : 'Application'))
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
