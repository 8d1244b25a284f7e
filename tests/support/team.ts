import { ORG_PATH } from '#fairway/shared/paths'
import { createBrowser, sessionOf, signUp, type TestBrowser } from './http'
import { newestMail } from './mail'
import { aPerson } from './people'
import { query } from './query'
import type { TestServer } from './server'

export const PASSWORD = 'zebra quilt 7 lantern'

export interface TeamPerson {
  browser: TestBrowser
  email: string
  userId: string
}

/** Signs somebody up whom this owner has invited, and accepts; returns their browser. */
export async function addMember(
  server: TestServer,
  owner: TestBrowser,
  name: string,
  role = 'member',
): Promise<TestBrowser> {
  const member = createBrowser(server.origin)
  const person = aPerson(name)
  const id = await invite(owner, person.email, role)
  await signUp(member, person)
  const accepted = await member.post(`${ORG_PATH}/invitations/${id}/accept`, { json: { confirm: true } })
  if (!accepted.ok) throw new Error(await accepted.text())
  return member
}

/** Invites an address to the organization of this owner; returns the invitation's id. */
export async function invite(owner: TestBrowser, email: string, role = 'member'): Promise<string> {
  const answer = await owner.post(`${ORG_PATH}/invitations`, { json: { email, role } })
  if (answer.status !== 201) throw new Error(await answer.text())
  return (await answer.json()).invited[0].id
}

/** Helpers for tests of organizations, on one server with a database file. */
export function createTeamWorld(server: TestServer) {
  let count = 0

  /** Creates a signed-in person; the address is confirmed by default. */
  async function person(input: { email?: string; name?: string; verified?: boolean } = {}): Promise<TeamPerson> {
    const { email = `person${++count}@example.test`, name = 'Person', verified = true } = input
    const browser = createBrowser(server.origin)
    await signUp(browser, { email, password: PASSWORD, name })
    if (verified) await query(server, 'update users set email_verified = 1 where email = ?', [email])
    const [row] = await query(server, 'select id from users where email = ?', [email])
    return { browser, email, userId: String(row?.id) }
  }

  /** The newest mail to an address, with the id and the token of its link. */
  function linkFor(email: string): { id: string; token: string; text: string } {
    const { text, link } = newestMail(server.dataDir, email)
    return { id: link.searchParams.get('id') ?? '', token: link.searchParams.get('token') ?? '', text }
  }

  /** Invites a person, new by default, and accepts the invitation; returns the person. */
  async function join_(owner: TeamPerson, role: string, who?: TeamPerson): Promise<TeamPerson> {
    const member = who ?? (await person())
    await invite(owner.browser, member.email, role)
    const { id, token } = linkFor(member.email)
    const accepted = await member.browser.post(`/_fw/org/invitations/${id}/accept`, { json: { token, confirm: true } })
    if (accepted.status !== 200) throw new Error(await accepted.text())
    return member
  }

  /** An organization with one person per role, and a person outside it. */
  async function team() {
    const owner = await person()
    const { orgId } = await sessionOf(owner.browser)
    const admin = await join_(owner, 'admin')
    const member = await join_(owner, 'member')
    const outsider = await person()
    return { orgId: String(orgId), owner, admin, member, outsider }
  }

  return { person, linkFor, join: join_, team }
}
