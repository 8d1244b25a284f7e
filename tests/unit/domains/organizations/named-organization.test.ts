// Requests that name an organization (`fw-org`), and those that say which one their page shows (`fw-shown-org`).
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { statusAndCode } from '../../../support/error-code'
import { useServer } from '../../../support/use-server'
import { query } from '../../../support/query'
import { STATIC_TOKEN } from '../../../support/secrets'
import { createTeamWorld, type TeamPerson } from '../../../support/team'

const ADA = 'ada@example.test'
const server = useServer({ env: { ACCESS_TOKEN: STATIC_TOKEN, FW_OWNER_EMAIL: ADA } })
const world = createTeamWorld(server)

interface Org {
  id: string
  slug: string
}

let ada: TeamPerson
let stranger: TeamPerson
/** Ada's active organization, another one of hers, and one of somebody else. */
let own: Org
let other: Org
let foreign: Org

const orgOf = async ({ browser }: TeamPerson): Promise<Org> => {
  const { session } = await (await browser.get('/_fw/session')).json()
  return { id: session.orgId, slug: session.orgSlug }
}
const as = (org: Pick<Org, 'slug'>) => ({ headers: { 'fw-org': org.slug } })
const shownAs = (org: Pick<Org, 'id'>) => ({ headers: { 'fw-shown-org': org.id } })
const createNote = (headers: Record<string, string>, title = 'Note') =>
  ada.browser.post('/_fw/actions/create-note', { headers, json: { title } })
const orgOfNewest = async () => (await query(server, 'select org_id from notes order by rowid desc limit 1'))[0]?.org_id
const chosen = () =>
  query(server, `select value from user_settings where key = 'active-org-id' and user_id = ?`, [ada.userId])

beforeAll(async () => {
  ada = await world.person({ email: ADA })
  stranger = await world.person()
  own = await orgOf(ada)
  foreign = await orgOf(stranger)
  const made = await ada.browser.post('/_fw/org', { json: { name: 'Other', confirm: true } })
  other = await made.json()
})
beforeEach(async () => {
  await ada.browser.request('/_fw/org/active', { method: 'PUT', json: { orgId: own.id, confirm: true } })
})

describe('fw-org with a session', () => {
  it('is the organization of the session, regardless of the choice, which stays', async () => {
    const before = await chosen()
    for (const turn of [1, 2, 3]) {
      const { session } = await (await ada.browser.get('/_fw/session', as(other))).json()
      expect(session, `${turn}`).toMatchObject({ orgId: other.id, orgSlug: 'other', orgRole: 'owner' })
      expect(await orgOf(ada)).toEqual(own)
    }
    expect((await createNote({ 'fw-org': other.slug })).status).toBe(200)
    expect(await orgOfNewest()).toBe(other.id)
    expect((await createNote({})).status).toBe(200)
    expect(await orgOfNewest()).toBe(own.id)
    expect(await chosen()).toEqual(before)
  })

  it('counts in the query of reading requests, and is no parameter of theirs', async () => {
    await createNote({ 'fw-org': other.slug }, 'Only there')
    const listed = async (path: string) => (await (await ada.browser.get(path)).json()).totalItems
    const inOther = await listed(`/note-list?itemsPerPage=5&fw-org=${other.slug}`)
    expect(inOther).not.toBe(await listed('/note-list?itemsPerPage=5'))
    expect(inOther).toBe(await listed(`/note-list?fw-org=${other.slug}&itemsPerPage=5`))
    const posted = await ada.browser.post(`/_fw/actions/create-note?fw-org=${other.slug}`, { json: { title: 'Here' } })
    expect(posted.status).toBe(200)
    expect(await orgOfNewest()).toBe(own.id)
  })

  it('is refused alike for the organizations of others and for unknown ones', async () => {
    const answers = []
    for (const slug of [foreign.slug, 'no-such-place', 'Ünknown', '', 'a'.repeat(5000), '../own']) {
      const requests = [
        () => ada.browser.get('/_fw/session', as({ slug: encodeURIComponent(slug) })),
        () => ada.browser.get('/note-list', as({ slug: encodeURIComponent(slug) })),
        () => createNote({ 'fw-org': encodeURIComponent(slug) }),
      ]
      for (const send of requests) {
        const answer = await send()
        const { requestId: _own, ...problem } = await answer.json()
        answers.push(JSON.stringify([answer.status, problem]))
      }
    }
    expect([...new Set(answers)]).toEqual([
      JSON.stringify([
        404,
        {
          type: 'urn:fairway:error:no-such-organization',
          title: 'You have no access to this organization.',
          status: 404,
          code: 'no-such-organization',
        },
      ]),
    ])
  })

  it('opens nothing to visitors, who learn nothing about it', async () => {
    for (const { slug } of [own, { slug: 'no-such-place' }]) {
      const headers = { 'fw-org': slug }
      expect(await (await fetch(`${server.origin}/_fw/session`, { headers })).json()).toEqual({ session: null })
      expect((await fetch(`${server.origin}/note-list`, { headers })).status).toBe(401)
    }
  })

  it('ends with the membership, on the next request', async () => {
    const guest = await world.join(ada, 'member')
    expect((await guest.browser.get('/_fw/session', as(own))).status).toBe(200)
    await ada.browser.request(`/_fw/org/members/${guest.email}`, { method: 'DELETE' })
    expect(await statusAndCode(await guest.browser.get('/_fw/session', as(own)))).toEqual([404, 'no-such-organization'])
  })

  it('asks the sign-in rule and the session policy of the named organization', async () => {
    await query(server, 'update organizations set required_auth_provider = ? where id = ?', ['google', other.id])
    const { session } = await (await ada.browser.get('/_fw/session', as(other))).json()
    expect(session).toMatchObject({ orgId: null, closedOrg: { id: other.id, isOwner: true } })
    expect(await statusAndCode(await createNote({ 'fw-org': other.slug }))).toEqual([403, 'provider-required'])
    expect(await orgOf(ada)).toEqual(own)
    await query(
      server,
      `update organizations set required_auth_provider = null, session_networks = '["10.0.0.0/8"]' where id = ?`,
      [other.id],
    )
    expect(await statusAndCode(await createNote({ 'fw-org': other.slug }))).toEqual([403, 'session-policy'])
    expect((await createNote({})).status).toBe(200)
    await query(server, 'update organizations set session_networks = null where id = ?', [other.id])
  })

  it('leaves the choice as it is when the person creates, joins or would switch', async () => {
    const before = await chosen()
    const named = as(other)
    const made = await ada.browser.post('/_fw/org', { ...named, json: { name: 'Third', confirm: true } })
    expect([made.status, (await made.json()).slug]).toEqual([201, 'third'])
    await stranger.browser.post('/_fw/org/invitations', { json: { email: ADA } })
    const { id } = world.linkFor(ADA)
    const accepted = await ada.browser.post(`/_fw/org/invitations/${id}/accept`, { ...named, json: { confirm: true } })
    expect(await accepted.json()).toMatchObject({ joined: { id: foreign.id }, active: { id: other.id } })
    const moved = await ada.browser.request('/_fw/org/active', {
      ...named,
      method: 'PUT',
      json: { orgId: foreign.id, confirm: true },
    })
    expect(await statusAndCode(moved)).toEqual([400, 'invalid-request'])
    expect(await chosen()).toEqual(before)
    await ada.browser.post('/_fw/org/leave', { ...as(foreign), json: {} })
    expect(await chosen()).toEqual(before)
  })
})

describe('fw-org with another credential', () => {
  const scopes = ['mcp:read', 'mcp:write']
  const call = (token: string, headers: Record<string, string>) =>
    fetch(`${server.origin}/_fw/actions/list-notes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: '{}',
    })
  const callMcp = (token: string, headers: Record<string, string>) =>
    fetch(`${server.origin}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    })

  async function apiToken(): Promise<string> {
    const made = await ada.browser.post('/_fw/tokens', { json: { name: 'Script', scopes, expiresInDays: 30 } })
    return (await made.json()).token
  }
  async function serviceKey(): Promise<string> {
    const made = await ada.browser.post('/_fw/org/service-accounts', {
      json: { name: 'Robot', role: 'member', scopes },
    })
    const { id } = await made.json()
    const key = await ada.browser.post(`/_fw/org/service-accounts/${id}/keys`, { json: { expiresInDays: 30 } })
    return (await key.json()).key
  }

  it.each([
    ['an API token', apiToken, call],
    ['an API token at /mcp', apiToken, callMcp],
    ['the key of a service account', serviceKey, call],
    ['the key of a service account at /mcp', serviceKey, callMcp],
    ['a static token', async () => STATIC_TOKEN, callMcp],
  ])('must name the organization of %s', async (_name, tokenOf, send) => {
    const token = await tokenOf()
    expect((await send(token, {})).status).toBe(200)
    expect((await send(token, { 'fw-org': own.slug })).status).toBe(200)
    for (const slug of [other.slug, foreign.slug, 'no-such-place', ''])
      expect(await statusAndCode(await send(token, { 'fw-org': slug }))).toEqual([404, 'no-such-organization'])
  })
})

describe('fw-shown-org', () => {
  it('refuses requests once the person works in another organization; nothing is saved', async () => {
    const shown = { 'fw-shown-org': own.id }
    expect((await createNote(shown)).status).toBe(200)
    await ada.browser.request('/_fw/org/active', { method: 'PUT', json: { orgId: other.id, confirm: true } })
    const notes = async () => (await query(server, 'select count(*) as n from notes'))[0]?.n
    const before = await notes()
    const refused = await createNote(shown)
    expect(await refused.json()).toMatchObject({ status: 409, code: 'organization-changed' })
    expect(await notes()).toBe(before)
    expect(await statusAndCode(await ada.browser.get('/note-list', shownAs(own)))).toEqual([
      409,
      'organization-changed',
    ])
    expect((await createNote({ 'fw-shown-org': other.id })).status).toBe(200)
    expect((await createNote({ ...shown, 'fw-org': own.slug })).status).toBe(200)
    expect(await orgOfNewest()).toBe(own.id)
  })

  it('leaves open what concerns the person alone', async () => {
    await ada.browser.request('/_fw/org/active', { method: 'PUT', json: { orgId: other.id, confirm: true } })
    for (const path of ['/_fw/session', '/_fw/org', '/_fw/sessions'])
      expect((await ada.browser.get(path, shownAs(own))).status).toBe(200)
  })
})
