import { users } from '#server/domains/accounts'
import type { App } from '#server/foundation/app-context'
import { newId } from '#server/foundation/crypto/random'
import type { Session } from '#shared/schemas/session'

type Person = typeof users.$inferSelect

/** A person as a row, with a confirmed address unless said otherwise. */
export async function addPerson(app: App, more: Partial<Person> = {}): Promise<Person> {
  const id = newId()
  const now = app.now()
  const person: Person = {
    id,
    name: 'Ada',
    email: `${id}@example.test`,
    emailVerified: true,
    image: null,
    kind: 'person',
    createdAt: now,
    updatedAt: now,
    ...more,
  }
  await app.db.orm.insert(users).values(person)
  return person
}

/** A session of this person, without an organization. */
export function sessionFor(person: Person, provider = 'password'): Session {
  const { id: userId, email, emailVerified, name, image } = person
  const now = person.createdAt.toISOString()
  const org = { orgId: null, orgName: null, orgRole: null }
  return { userId, email, emailVerified, name, image, ...org, provider, createdAt: now, expiresAt: now }
}
