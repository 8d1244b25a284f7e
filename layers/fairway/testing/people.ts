import { ensurePerson, findPerson, mintSession } from '../server/domains/people'
import {
  acceptInvitation,
  assignAppRole,
  assignRole,
  createOrganization,
  createRole,
  invite,
  mayCreate,
  requireOrg,
  type SharedTable,
} from '../server/domains/organizations'
import { actAs } from '../server/domains/sessions'
import type { App } from '../server/kernel/app-context'
import { withRun } from '../server/kernel/current-run'
import type { OrgRole } from '../shared/roles'
import type { Session } from '../shared/schemas/session'

export interface PersonInput {
  /** Their display name; `Person 1` and so on by default. */
  name?: string
  /** Their confirmed address, derived from the name by default. An existing account with this address is reused. */
  email?: string
  /**
   * The name of the organization they work in. People with the same name here share one organization. By default, the platform
   * creates a personal one for them.
   */
  organization?: string
  /** Their role in the organization: by default, the first person is the owner and the others are members. */
  role?: OrgRole
  /** Their role in this application, one of `defineAppRoles`. */
  appRole?: string
  /** Permissions of this application (`definePermissions`) that they hold, by a role of their organization. */
  permissions?: readonly string[]
  /** Tables whose policies must let them create rows: without `appRole`, they get the first role of the application that may, else every permission. */
  creates?: readonly SharedTable[]
}

export interface TestPerson {
  userId: string
  name: string
  email: string
  /** The organization they work in; null where the settings create none. */
  orgId: string | null
}

/** The acting person: a result of `person`, or any account by its address. */
export type Who = TestPerson | { email: string }

/** Returns the session of a person as their next request sees it; throws when they are not allowed to act. */
export async function sessionOf(app: App, { email }: Who): Promise<Session & { id: string | null }> {
  const acting = await actAs(app, { email }, { provider: 'password' })
  if ('session' in acting) return acting.session
  throw new Error(`${email} may not act here: ${acting.refusal}`)
}

/** Signs a person in and returns the cookie of their browser as a request sends it. */
export async function signIn(app: App, { email }: Who): Promise<string> {
  const person = await findPerson(app, { email })
  if (!person) throw new Error(`there is no account of ${email}`)
  const { cookie } = await mintSession(app, {
    userId: person.userId,
    email: person.email,
    securityVersion: person.securityVersion,
    provider: 'password',
    provesAddress: true,
    ipAddress: '127.0.0.1',
    userAgent: 'Vitest',
  })
  return cookie
}

/** The people of one test application. */
export function createPeople(app: App) {
  const organizations = new Map<string, { owner: Who }>()
  const names = new Map<string, number>()
  let people = 0

  function addressOf(name: string): string {
    const local =
      name
        .toLowerCase()
        .normalize('NFKD')
        .replaceAll(/\p{M}/gu, '')
        .replaceAll(/[^a-z0-9]+/g, '.')
        .replaceAll(/^\.|\.$/g, '') || 'person'
    const count = (names.get(local) ?? 0) + 1
    names.set(local, count)
    return `${local}${count === 1 ? '' : count}@example.test`
  }

  /** Creates an account with a confirmed address and adds it to its organization. */
  return async function person(input: PersonInput = {}): Promise<TestPerson> {
    const name = input.name ?? `Person ${++people}`
    const email = (input.email ?? addressOf(name)).trim().toLowerCase()
    if (input.role && input.organization === undefined)
      throw new Error(`person({ role: '${input.role}' }) needs an organization, for example organization: 'Acme'`)
    await ensurePerson(app, { email, emailVerified: true, name, image: null })
    if (input.organization !== undefined) await join(email, input.organization, input.role)
    const session = await sessionOf(app, { email })
    const owner = organizations.get(input.organization ?? '')?.owner ?? { email }
    await giveRoles(app, owner, { ...input, email })
    return { userId: session.userId, name, email, orgId: session.orgId }
  }

  async function join(email: string, organization: string, role: OrgRole | undefined): Promise<void> {
    const known = organizations.get(organization)
    if (known) return add(known.owner, email, role ?? 'member')
    if (role === undefined || role === 'owner') return found({ email }, organization)
    // A new organization requires an owner, so this creates one first.
    const owner = { email: addressOf(`Owner of ${organization}`) }
    await ensurePerson(app, { ...owner, emailVerified: true, name: `Owner of ${organization}`, image: null })
    await found(owner, organization)
    await add(owner, email, role)
  }

  async function found(owner: { email: string }, name: string): Promise<void> {
    const account = await findPerson(app, owner)
    if (!account) throw new Error(`there is no account of ${owner.email}`)
    await createOrganization(app, { ...account, orgId: null, orgName: null }, { name, confirm: true })
    organizations.set(name, { owner })
  }

  async function add(owner: Who, email: string, role: OrgRole): Promise<void> {
    const session = await sessionOf(app, owner)
    const run = { app, session, hasRecentSignIn: async () => true }
    const { invited, failed } = await withRun(run, () =>
      invite(app, requireOrg(session, 'invite-member'), [{ email, role }]),
    )
    const [invitation] = invited
    if (!invitation) throw new Error(`${email} cannot join: ${failed[0]?.code}`)
    await acceptInvitation(app, await sessionOf(app, { email }), { id: invitation.id, confirm: true })
  }
}

async function giveRoles(
  app: App,
  owner: Who,
  { email, appRole, permissions, creates }: PersonInput & { email: string },
): Promise<void> {
  if (permissions) await hold(app, owner, { email, permissions })
  if (appRole !== undefined) await assign(app, owner, { email, role: appRole })
  else if (creates) await assignCreator(app, owner, { email, creates })
}

async function assign(app: App, owner: Who, who: { email: string; role: string }): Promise<void> {
  await assignAppRole(app, requireOrg(await sessionOf(app, owner), 'assign-app-role'), who)
}

/** Makes a role with these permissions and gives it to a member. */
async function hold(app: App, owner: Who, who: { email: string; permissions: readonly string[] }): Promise<void> {
  const actor = requireOrg(await sessionOf(app, owner), 'manage-roles')
  const { id } = await createRole(app, actor, {
    name: `Role of ${who.email}`.slice(0, 60),
    permissions: who.permissions,
  })
  await assignRole(app, actor, id, who.email)
}

/** Whether the policy of a table lets a person create rows. */
export const mayCreateRow = (app: App, table: SharedTable, session: Session): Promise<boolean> =>
  withRun({ app, session }, () => mayCreate(app.db.orm, table, session))

/** Assigns the first role that may create rows of these tables, or every permission; none where the person may without one. */
async function assignCreator(
  app: App,
  owner: Who,
  { email, creates }: { email: string; creates: readonly SharedTable[] },
): Promise<void> {
  async function mayCreateAll(): Promise<boolean> {
    const session = await sessionOf(app, { email })
    return (await Promise.all(creates.map(table => mayCreateRow(app, table, session)))).every(Boolean)
  }
  for (const role of app.config.appRoles?.roles ?? []) {
    if (await mayCreateAll()) return
    await assign(app, owner, { email, role })
  }
  const { names } = app.config.permissions
  if (names.length > 0 && !(await mayCreateAll())) await hold(app, owner, { email, permissions: names })
}
