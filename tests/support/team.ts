import { createClient, type InValue } from '@libsql/client'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createBrowser, signUp, type TestBrowser } from './http'
import type { TestServer } from './server'

export const PASSWORD = 'zebra quilt 7 lantern'

export interface TeamPerson {
  browser: TestBrowser
  email: string
  userId: string
}

/** What tests of organizations do over and over, on one server with a database file. */
export function createTeamWorld(server: TestServer) {
  let count = 0

  async function query(sql: string, args: InValue[] = []) {
    const client = createClient({ url: `file:${join(server.dataDir, 'fairway.db')}`, timeout: 5000 })
    try {
      return (await client.execute({ sql, args })).rows
    } finally {
      client.close()
    }
  }

  /** Somebody new who is signed in; their address counts as confirmed unless said otherwise. */
  async function person(input: { email?: string; name?: string; verified?: boolean } = {}): Promise<TeamPerson> {
    const { email = `person${++count}@example.test`, name = 'Person', verified = true } = input
    const browser = createBrowser(server.origin)
    await signUp(browser, { email, password: PASSWORD, name })
    if (verified) await query('update users set email_verified = 1 where email = ?', [email])
    const [row] = await query('select id from users where email = ?', [email])
    return { browser, email, userId: String(row?.id) }
  }

  const sessionOf = async (who: TeamPerson) => (await (await who.browser.get('/_fw/session')).json()).session

  /** The last mail to an address: the id and the token of its link. */
  function linkFor(email: string): { id: string; token: string; text: string } {
    const folder = join(server.dataDir, 'outbox')
    const mails = readdirSync(folder)
      .toSorted()
      .map(name => JSON.parse(readFileSync(join(folder, name), 'utf8')))
    const { text } = mails.findLast(mail => mail.to === email)
    const link = new URL(/https?:\S+/.exec(text)?.[0] ?? '')
    return { id: link.searchParams.get('id') ?? '', token: link.searchParams.get('token') ?? '', text }
  }

  /** Invites somebody and lets them accept; gives them back with their new role. */
  async function join_(owner: TeamPerson, role: string, who?: TeamPerson): Promise<TeamPerson> {
    const member = who ?? (await person())
    const answer = await owner.browser.post('/_fw/org/invitations', { json: { email: member.email, role } })
    if (answer.status !== 201) throw new Error(await answer.text())
    const { id, token } = linkFor(member.email)
    const accepted = await member.browser.post(`/_fw/org/invitations/${id}/accept`, { json: { token } })
    if (accepted.status !== 200) throw new Error(await accepted.text())
    return member
  }

  /** An organization with one person of each role and somebody outside. */
  async function team() {
    const owner = await person()
    const { orgId } = await sessionOf(owner)
    const admin = await join_(owner, 'admin')
    const member = await join_(owner, 'member')
    const outsider = await person()
    return { orgId: String(orgId), owner, admin, member, outsider }
  }

  return { query, person, sessionOf, linkFor, join: join_, team }
}
