// Parses inputs that name people, teams and files: once to learn whom and what they name, and again with the answers of the database.
import { checkFiles } from '#fairway/server/domains/files'
import { findMembers, findTeams } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { withNamedValues } from '#fairway/server/kernel/named-values'
import type { Session } from '#fairway/shared/schemas/session'

/** The row of an existing file must be named around every place that names the file: then the action changes this row. */
type IsOfNamedRow = (file: string, row: string) => boolean

/**
 * Returns what `parse` returns, with tickets replaced by the ids of their files. People who are no members, and files that the
 * caller may not use, become issues of the schema: `no-member`, `no-such-file` and `upload-expired`. So do unknown teams:
 * `no-team`. `rows` says which rows the parsed input changes; none by default.
 */
export async function parseNamed<T>(
  app: App,
  session: Session | null,
  parse: () => T,
  rows: (parsed: T) => IsOfNamedRow = () => () => false,
): Promise<T> {
  const people = new Set<string>()
  const teams = new Set<string>()
  const texts = new Set<string>()
  const parsed = withNamedValues(
    {
      person: email => void people.add(email),
      team: id => void teams.add(id),
      file(_upload, text) {
        texts.add(text)
        return { id: text }
      },
    },
    parse,
  )
  if (people.size + teams.size + texts.size === 0) return parsed
  const orgId = session?.orgId ?? null
  const members = people.size > 0 ? await findMembers(app, orgId, [...people]) : people
  const known = teams.size > 0 ? await findTeams(app, orgId, [...teams]) : teams
  const file = await checkFiles(app, session, [...texts], rows(parsed))
  return withNamedValues(
    {
      file,
      person: email => (members.has(email) ? undefined : 'no-member'),
      team: id => (known.has(id) ? undefined : 'no-team'),
    },
    parse,
  )
}

/** Finds the objects around each text of an input. `id` is the field with the id of the row that the whole input changes. */
export function namedRows(input: Readonly<Record<string, unknown>>, id: string): IsOfNamedRow {
  const around = new Map<string, ReadonlySet<string>>()
  const visit = (value: unknown, ids: ReadonlySet<string>): void => {
    if (typeof value === 'string') around.set(value, common(ids, around.get(value)))
    if (typeof value !== 'object' || value === null) return
    const id = Reflect.get(value, 'id')
    const inside = id === undefined || id === null ? ids : new Set([...ids, String(id)])
    for (const each of Object.values(value)) visit(each, inside)
  }
  const whole = input[id]
  const ids = new Set(whole === undefined || whole === null ? [] : [String(whole)])
  for (const each of Object.values(input)) visit(each, ids)
  return (file, row) => around.get(file)?.has(row) ?? false
}

const common = (ids: ReadonlySet<string>, others = ids): ReadonlySet<string> =>
  new Set([...ids].filter(id => others.has(id)))
