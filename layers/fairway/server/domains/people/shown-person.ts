// People in the form of answers, read in the statement that finds them or for many rows at once.
import type { App } from '#fairway/server/kernel/app-context'
import type { Session } from '#fairway/shared/schemas/session'
import { type ShownPerson, shownPersonSchema } from '#fairway/shared/schemas/person'

/** The name of an account, else its address. */
export const shownNameSql = (u = 'u'): string => `coalesce(nullif(${u}.name, ''), ${u}.email)`

/**
 * An account as one column, for `toShownPerson`. Null where a left join finds no account. Pictures of other origins are left out,
 * because the policy of pages refuses them.
 */
export const shownPersonSql = (u = 'u'): string =>
  `case when ${u}.id is not null then json_object('id', ${u}.id, 'name', ${shownNameSql(u)},
    'email', ${u}.email, 'image', case when ${u}.image like '/%' then ${u}.image end) end`

/** Parses a column that was read as `shownPersonSql`. */
export function toShownPerson(value: string): ShownPerson
export function toShownPerson(value: unknown): ShownPerson | null
export function toShownPerson(value: unknown): ShownPerson | null {
  return typeof value === 'string' ? shownPersonSchema.parse(JSON.parse(value)) : null
}

/** The signed-in person in the form of answers. */
export const personOfSession = ({
  userId,
  name,
  email,
  image,
}: Pick<Session, 'userId' | 'name' | 'email' | 'image'>): ShownPerson => ({
  id: userId,
  name: name || email,
  email,
  image: image?.startsWith('/') ? image : null,
})

/** The accounts with these ids or addresses, by that value. It asks nobody's permission: it is for operators and managers. */
export async function findAccounts(
  app: App,
  by: 'id' | 'email',
  values: readonly (string | null)[],
): Promise<ReadonlyMap<string, ShownPerson>> {
  const wanted = [...new Set(values)].filter(value => value !== null)
  if (wanted.length === 0) return new Map()
  const find = app.memo(`accounts-by-${by}`, () =>
    app.db.prepareRead<{ person: string }>(
      `select ${shownPersonSql()} as person from users u where u.${by} in (select value from json_each(?))`,
    ),
  )
  const people = (await find([JSON.stringify(wanted)])).map(({ person }) => toShownPerson(person))
  return new Map(people.map(person => [person[by] ?? '', person]))
}

/** Adds the person to rows that refer to an account; null for rows without one and for deleted ones. */
export async function withAccounts<T extends { userId: string | null }>(
  app: App,
  rows: readonly T[],
): Promise<(T & { person: ShownPerson | null })[]> {
  const people = await findAccounts(
    app,
    'id',
    rows.map(({ userId }) => userId),
  )
  return rows.map(row => ({ ...row, person: people.get(row.userId ?? '') ?? null }))
}
