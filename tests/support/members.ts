import { findPerson, mintSession } from '#fairway/server/domains/people'
import { createOrganization } from '#fairway/server/domains/organizations'
import { findOrgContext } from '#fairway/server/domains/organizations/org-context'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import { orgMembers, users } from '#fairway/server/schema'
import type { OrgRole } from '#fairway/shared/roles'
import type { Session } from '#fairway/shared/schemas/session'

let count = 0

/** Adds a person with a confirmed address; returns the session they would have now. */
export async function aMember(app: App, input: { email?: string; name?: string } = {}): Promise<Session> {
  const number = ++count
  // Ids in creation order also sort in that order as text.
  const id = `user-${String(number).padStart(5, '0')}`
  const { email = `member${number}@example.test`, name = `Member ${number}` } = input
  const now = app.now()
  await app.db.orm.insert(users).values({ id, name, email, emailVerified: true, createdAt: now, updatedAt: now })
  return sessionNow(app, { userId: id, email, name } as Session)
}

/** The session of a person as their next request would see it. */
export async function sessionNow(
  app: App,
  person: Pick<Session, 'userId' | 'email' | 'name'>,
  provider = 'password',
): Promise<Session> {
  const context = await findOrgContext(app, { ...person, provider })
  const times = { createdAt: app.now().toISOString(), expiresAt: app.now().toISOString() }
  return {
    userId: person.userId,
    email: person.email,
    name: person.name,
    emailVerified: true,
    image: null,
    provider,
    ...times,
    ...context,
  }
}

/** Adds a person to another person's organization. */
export async function addTo(app: App, owner: Session, person: Session, role: OrgRole): Promise<void> {
  // Later than the person's own organization, which may be from this millisecond and must be the older membership.
  const joinedAt = new Date(app.now().getTime() + 1)
  await app.db.orm.insert(orgMembers).values({ orgId: owner.orgId ?? '', userId: person.userId, role, joinedAt })
}

/** Creates a second organization for a person and makes it active. */
export async function anotherOrg(app: App, person: Session, name = 'Second'): Promise<Session> {
  await createOrganization(app, person, { name, confirm: true })
  return sessionNow(app, person)
}

type Person = typeof users.$inferSelect

/** Inserts a person's row; the address is confirmed by default. */
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
    securityVersion: 0,
    picture: null,
    claimSince: null,
    secondFactorSince: null,
    passkeySince: null,
    termsVersion: null,
    suspendedAt: null,
    suspendedUntil: null,
    suspendedReason: null,
    createdAt: now,
    updatedAt: now,
    ...more,
  }
  await app.db.orm.insert(users).values(person)
  return person
}

/** A session of this person without an organization. */
export function sessionFor(person: Person, provider = 'password'): Session {
  const { id: userId, email, emailVerified, name, image } = person
  const now = person.createdAt.toISOString()
  const org = { orgId: null, orgName: null, orgSlug: null, orgRole: null }
  return { userId, email, emailVerified, name, image, ...org, provider, createdAt: now, expiresAt: now }
}

interface SignedIn {
  userId: string
  email: string
  provider?: string
  provesAddress?: boolean
  provedSecondFactor?: boolean
  ipAddress?: string
  userAgent?: string
}

/** Signs a person in now; returns the `Set-Cookie` value. */
export async function signInAs(app: App, { userId, email, ...more }: SignedIn): Promise<string> {
  const person = await findPerson(app, { email })
  const { cookie } = await mintSession(app, {
    userId,
    email,
    securityVersion: person?.securityVersion ?? 0,
    provider: more.provider ?? 'password',
    provesAddress: more.provesAddress ?? false,
    provedSecondFactor: more.provedSecondFactor ?? false,
    ipAddress: more.ipAddress ?? '',
    userAgent: more.userAgent ?? '',
  })
  return cookie
}
