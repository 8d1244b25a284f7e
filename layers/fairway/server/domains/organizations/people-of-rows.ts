// The people whom rows name by their addresses, as the reader may see them: found at once for all rows of an answer.
import { z } from 'zod'
import { PEOPLE, personOfSession, shownPersonSql, toShownPerson } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { requireRun, sessionOfRun } from '#fairway/server/kernel/current-run'
import * as shared from '#fairway/shared/schemas/person'
import type { Session } from '#fairway/shared/schemas/session'
import { membershipJoin } from './org-context'

type ShownPerson = shared.ShownPerson

/** A person in the output of an action or the item of a collection. */
export const shownPersonSchema = z.object(shared.shownPersonSchema.shape)

/** Fields that show a person, each with the name of the field that holds the address. */
type PeopleFields<Row> = Readonly<Record<string, keyof Row & string>>

type WithPeople<Row, Fields extends PeopleFields<Row>> = Row & {
  [Name in keyof Fields]: null extends Row[Fields[Name]] ? ShownPerson | null : ShownPerson
}

/**
 * Adds people to rows that name them by address. The caller and the members of the active organization get their ID, name and
 * picture; everyone else has the address alone. One statement reads them all. Null for a row without an address.
 */
export async function withPeople<Row extends object, const Fields extends PeopleFields<Row>>(
  rows: readonly Row[],
  fields: Fields,
): Promise<WithPeople<Row, Fields>[]> {
  const run = requireRun()
  const names = Object.entries(fields)
  const addresses = rows.map(row => names.map(([, from]) => row[from]))
  const personOf = await findShown(run.app, await sessionOfRun(run), addresses.flat())
  return rows.map((row, at) => {
    const people = names.map(([name], index) => [name, personOf(addresses[at]?.[index])])
    return { ...row, ...Object.fromEntries(people) } as WithPeople<Row, Fields>
  })
}

const FIND = `select ${shownPersonSql()} as person from ${PEOPLE} ${membershipJoin('?')}
  where u.email in (select value from json_each(?))`

/** Finds the people of these addresses as the reader may see them; values that are no text are nobody. */
export async function findShown(
  app: App,
  session: Session | null,
  addresses: readonly unknown[],
): Promise<(address: unknown) => ShownPerson | null> {
  const people = new Map<string, ShownPerson>()
  if (session) people.set(session.email, personOfSession(session))
  const others = [...new Set(addresses)].filter(address => typeof address === 'string' && !people.has(address))
  if (session?.orgId && others.length > 0) {
    const find = app.memo('find-shown-people', () => app.db.prepareRead<{ person: string }>(FIND))
    for (const row of await find([session.orgId, JSON.stringify(others)])) {
      const person = toShownPerson(row.person)
      people.set(person.email, person)
    }
  }
  return address => {
    if (typeof address !== 'string') return null
    return people.get(address) ?? { id: null, name: address, email: address, image: null }
  }
}
