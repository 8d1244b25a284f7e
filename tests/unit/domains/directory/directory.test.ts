import { describe, expect, it } from 'vitest'
import { codeOf, statusAndCode } from '../../../support/error-code'
import { createBrowser, sessionOf } from '../../../support/http'
import { useServer } from '../../../support/use-server'
import { newestMail } from '../../../support/mail'
import { query } from '../../../support/query'
import { createTeamWorld, invite, type TeamPerson } from '../../../support/team'

const server = useServer()
const world = createTeamWorld(server)
let count = 0

/** An organization with a proved domain and a directory. */
async function aDirectory() {
  const owner = await world.person()
  const orgId = String((await sessionOf(owner.browser)).orgId)
  const domain = `scim${++count}.example.org`
  await query(
    server,
    `insert into fw_org_domains (org_id, domain, token, status, proved_at, checked_at, created_by, created_at)
      values (?, ?, 'token', 'proved', 1, 9e12, ?, 1)`,
    [orgId, domain, owner.userId],
  )
  const { token, endpoint } = await (await owner.browser.post('/_fw/org/directory')).json()
  const send = (method: string, path: string, body?: unknown) =>
    fetch(`${endpoint}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
  const at = (name: string) => `${name}@${domain}`
  /** As Okta creates a user. */
  const create = async (name: string, more: object = {}) => {
    const answer = await send('POST', '/Users', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: at(name),
      name: { givenName: name, familyName: 'Larch' },
      emails: [{ primary: true, value: at(name), type: 'work' }],
      displayName: `${name} Larch`,
      externalId: `00u-${name}`,
      groups: [],
      password: 'random',
      active: true,
      ...more,
    })
    return { answer, user: await answer.json() }
  }
  return { owner, orgId, domain, token, endpoint, send, create, at }
}

const membersOf = async (orgId: string) =>
  (
    await query(
      server,
      'select u.email as email, m.role as role from org_members m join users u on u.id = m.user_id where m.org_id = ?',
      [orgId],
    )
  ).map(({ email, role }) => `${String(email).split('@')[0]} ${role}`)

describe('a directory', () => {
  it('is connected by owners, and its token is shown once and hashed', async () => {
    const { owner, admin } = await world.team()
    expect((await admin.browser.post('/_fw/org/directory')).status).toBe(403)
    const { token, endpoint } = await (await owner.browser.post('/_fw/org/directory')).json()
    expect([endpoint, token]).toEqual([`${server.origin}/_fw/scim/v2`, expect.stringMatching(/^fwd_[\w-]{40,}$/)])
    const shown = await (await owner.browser.get('/_fw/org/directory')).json()
    expect(shown.directory).toMatchObject({ endpoint, tokenEnd: token.slice(-4), people: 0, lastUsedAt: null })
    expect(JSON.stringify(await query(server, 'select * from fw_directories', []))).not.toContain(token)
  })

  it('answers discovery, and refuses unknown tokens in the form of SCIM', async () => {
    const { send, endpoint } = await aDirectory()
    const config = await send('GET', '/ServiceProviderConfig')
    expect([config.status, config.headers.get('content-type')]).toEqual([200, 'application/scim+json; charset=utf-8'])
    expect(await config.json()).toMatchObject({
      patch: { supported: true },
      filter: { supported: true, maxResults: 200 },
    })
    const types = (await (await send('GET', '/ResourceTypes')).json()).Resources
    expect(types.map(({ endpoint: path }: { endpoint: string }) => path)).toEqual(['/Users', '/Groups'])
    const schemas = (await (await send('GET', '/Schemas')).json()).Resources
    expect(schemas.map(({ name }: { name: string }) => name)).toEqual(['User', 'Group'])
    expect((await (await send('GET', `/Schemas/${schemas[1].id}`)).json()).name).toBe('Group')
    const unknown = await fetch(`${endpoint}/Users`, { headers: { authorization: 'Bearer fwd_unknown-token' } })
    expect([unknown.status, await unknown.json()]).toEqual([
      401,
      { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '401', detail: 'The token is not known.' },
    ])
    expect((await send('GET', '/Nothing')).status).toBe(404)
  })

  it('ends with its token: a renewed one replaces it, and the organization takes it along', async () => {
    const { owner, send } = await aDirectory()
    await owner.browser.post('/_fw/org/directory')
    expect((await send('GET', '/Users')).status).toBe(401)
    expect((await owner.browser.request('/_fw/org/directory', { method: 'DELETE' })).status).toBe(204)
    expect((await owner.browser.request('/_fw/org/directory', { method: 'DELETE' })).status).toBe(404)
  })
})

describe('the end of a directory', () => {
  it('lets the people in again whom it removed', async () => {
    const { create, send, owner, at, orgId, domain } = await aDirectory()
    await owner.browser.request('/_fw/org', { method: 'PATCH', json: { allowedDomain: domain } })
    const person = await world.person({ email: at('back') })
    const { user } = await create('back')
    await send('DELETE', `/Users/${user.id}`)
    const join = () => person.browser.post('/_fw/org/join', { json: { orgId, confirm: true } })
    expect(await codeOf(await join())).toBe('directory-removed')
    await owner.browser.request('/_fw/org/directory', { method: 'DELETE' })
    expect((await join()).status).toBe(200)
    expect(await membersOf(orgId)).toContain('back member')
  })

  it('comes with that of its organization, from the moment an owner deletes it', async () => {
    const { send, owner } = await aDirectory()
    const { orgName } = await sessionOf(owner.browser)
    await owner.browser.request('/_fw/org', { method: 'DELETE', json: { name: orgName } })
    expect((await send('GET', '/Users')).status).toBe(401)
  })

  it('comes before that of the domains it needs', async () => {
    const { create, send, owner, domain, orgId } = await aDirectory()
    const remove = async (name: string) => {
      const answer = await owner.browser.request(`/_fw/org/domains/${name}`, { method: 'DELETE' })
      return answer.ok ? 'removed' : codeOf(answer)
    }
    const { user } = await create('domain')
    // The last proved one, then one with people.
    expect(await remove(domain)).toBe('in-use')
    await query(
      server,
      `insert into fw_org_domains (org_id, domain, token, status, proved_at, checked_at, created_by, created_at)
        values (?, ?, 'token', 'proved', 1, 9e12, 'x', 1)`,
      [orgId, `other-${domain}`],
    )
    const refused = await owner.browser.request(`/_fw/org/domains/${domain}`, { method: 'DELETE' })
    expect(await refused.json()).toMatchObject({
      detail: expect.stringContaining('The directory needs this domain'),
      uses: [{ kind: 'directory', id: null, name: null }],
    })
    await send('DELETE', `/Users/${user.id}`)
    expect(await remove(domain)).toBe('removed')
    expect(await remove(`other-${domain}`)).toBe('in-use')
    await owner.browser.request('/_fw/org/directory', { method: 'DELETE' })
    expect(await remove(`other-${domain}`)).toBe('removed')
  })
})

describe('the people of a directory', () => {
  it('become accounts and members at once, and come back as they were sent', async () => {
    const { create, orgId, at, send } = await aDirectory()
    const { answer, user } = await create('ada')
    expect([answer.status, user]).toEqual([
      201,
      {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
        id: expect.any(String),
        externalId: '00u-ada',
        userName: at('ada'),
        name: { givenName: 'ada', familyName: 'Larch' },
        emails: [{ primary: true, value: at('ada'), type: 'work' }],
        displayName: 'ada Larch',
        active: true,
        meta: expect.objectContaining({
          resourceType: 'User',
          location: expect.stringContaining('/_fw/scim/v2/Users/'),
        }),
      },
    ])
    expect(await membersOf(orgId)).toContain('ada member')
    expect(await query(server, 'select name, email_verified as v from users where email = ?', [at('ada')])).toEqual([
      { name: 'ada Larch', v: 1 },
    ])
    expect(newestMail(server.dataDir, at('ada')).text).toContain('made you a member')
    expect(await (await send('GET', `/Users/${user.id}`)).json()).toEqual(user)
  })

  it('are found as Okta and Entra ID look for them', async () => {
    const { create, at, send } = await aDirectory()
    for (const name of ['one', 'two', 'three']) await create(name)
    const find = async (filter: string) =>
      (await (await send('GET', `/Users?filter=${encodeURIComponent(filter)}`)).json()).Resources.map(
        ({ externalId }: { externalId: string }) => externalId,
      )
    expect(await find(`userName eq "${at('two').toUpperCase()}"`)).toEqual(['00u-two'])
    expect(await find('externalId eq "00u-three"')).toEqual(['00u-three'])
    // Entra ID tests with a random user, and wants an empty list.
    const none = await send('GET', `/Users?filter=${encodeURIComponent('userName eq "random"')}`)
    expect([none.status, await none.json()]).toMatchObject([200, { totalResults: 0, Resources: [] }])
    const page = await (await send('GET', '/Users?startIndex=2&count=1')).json()
    expect(page).toMatchObject({ totalResults: 3, startIndex: 2, itemsPerPage: 1 })
    expect(page.Resources[0].externalId).toBe('00u-two')
    expect((await (await send('GET', '/Users?startIndex=0&count=0')).json()).itemsPerPage).toBe(0)
    const wrong = await send('GET', `/Users?filter=${encodeURIComponent('title eq "x"')}`)
    expect([wrong.status, (await wrong.json()).scimType]).toEqual([400, 'invalidFilter'])
  })

  it.each([
    ['Okta by PATCH', 'PATCH', { Operations: [{ op: 'replace', value: { active: false } }] }],
    ['Entra ID by PATCH', 'PATCH', { Operations: [{ op: 'Replace', path: 'active', value: 'False' }] }],
    ['by DELETE', 'DELETE', undefined],
  ])('lose access at once: %s', async (_name, method, body) => {
    const { create, orgId, at, send, owner } = await aDirectory()
    const leaver = await world.join(owner, 'member', await world.person({ email: at('leaver') }))
    const { user } = await create('leaver')
    expect((await sessionOf(leaver.browser)).orgs ?? []).toBeDefined()
    const answer = await send(method, `/Users/${user.id}`, body)
    expect(answer.status).toBe(method === 'DELETE' ? 204 : 200)
    expect(await membersOf(orgId)).not.toContain('leaver member')
    const refused = await leaver.browser.request('/_fw/org/active', { method: 'PUT', json: { orgId, confirm: true } })
    expect(await codeOf(refused)).toBe('forbidden')
    expect((await send('GET', `/Users/${user.id}`)).status).toBe(method === 'DELETE' ? 404 : 200)
  })

  it('are kept out afterwards, by invitation and by domain, until the directory lets them in', async () => {
    const { create, orgId, at, send, owner, domain } = await aDirectory()
    await owner.browser.request('/_fw/org', { method: 'PATCH', json: { allowedDomain: domain } })
    const person = await world.person({ email: at('out') })
    const { user } = await create('out')
    await send('PATCH', `/Users/${user.id}`, { Operations: [{ op: 'replace', value: { active: false } }] })
    const joined = await person.browser.post('/_fw/org/join', { json: { orgId, confirm: true } })
    expect(await statusAndCode(joined)).toEqual([403, 'directory-removed'])
    const invitation = await invite(owner.browser, person.email)
    const accepted = await person.browser.post(`/_fw/org/invitations/${invitation}/accept`, { json: { confirm: true } })
    expect(await codeOf(accepted)).toBe('directory-removed')
    await send('PATCH', `/Users/${user.id}`, { Operations: [{ op: 'Replace', path: 'active', value: 'True' }] })
    expect(await membersOf(orgId)).toContain('out member')
  })

  it('are kept out before their membership ends', async () => {
    const { create, send } = await aDirectory()
    const { user } = await create('gap')
    await query(
      server,
      `create trigger no_gap before delete on org_members when not exists (
        select 1 from fw_kept_out_members k where k.org_id = old.org_id and k.user_id = old.user_id)
        begin select raise(abort, 'a gap'); end`,
    )
    const answer = await send('DELETE', `/Users/${user.id}`)
    await query(server, 'drop trigger no_gap')
    expect(answer.status).toBe(204)
  })

  it('never lose the last owner', async () => {
    const { send, orgId, at, owner } = await aDirectory()
    await query(server, 'update users set email = ? where id = ?', [at('boss'), owner.userId])
    const created = await send('POST', '/Users', { userName: at('boss'), active: true })
    const { id } = await created.json()
    const refused = await send('DELETE', `/Users/${id}`)
    expect([refused.status, (await refused.json()).status]).toEqual([409, '409'])
    expect(await membersOf(orgId)).toEqual(['boss owner'])
    expect(await query(server, 'select 1 from fw_kept_out_members where user_id = ?', [owner.userId])).toEqual([])
  })

  it('change by PUT of everything', async () => {
    const { create, send } = await aDirectory()
    const { user } = await create('put')
    const changed = await send('PUT', `/Users/${user.id}`, { ...user, displayName: 'New Name' })
    expect([changed.status, (await changed.json()).displayName]).toEqual([200, 'New Name'])
    const same = await send('PATCH', `/Users/${user.id}`, { Operations: [{ op: 'replace', value: { active: true } }] })
    expect(same.status).toBe(200)
  })

  it('get another address when the directory made their account', async () => {
    const { create, at, send, orgId, owner } = await aDirectory()
    const { user } = await create('before')
    const userId = async (name: string) =>
      (await query(server, 'select id from users where email = ?', [at(name)]))[0]?.id ?? null
    const id = await userId('before')
    await query(
      server,
      `insert into sessions (id, token, user_id, expires_at, created_at, updated_at) values ('s', 't', ?, 9e12, 1, 1)`,
      [id],
    )
    await create('taken')
    const change = (userName: string) =>
      send('PATCH', `/Users/${user.id}`, { Operations: [{ op: 'Replace', path: 'userName', value: userName }] })
    const refusal = async (userName: string) => (await (await change(userName)).json()).scimType
    expect(await refusal('before@victim.example')).toBe('invalidValue')
    expect(await refusal(at('taken'))).toBe('uniqueness')
    await world.person({ email: at('squatted'), verified: false })
    expect(await refusal(at('squatted'))).toBe('uniqueness')
    expect(await (await change(at('after'))).json()).toMatchObject({ userName: at('after') })
    expect([await userId('before'), await userId('after')]).toEqual([null, id])
    expect(await query(server, 'select 1 from sessions where user_id = ?', [id])).toEqual([])
    expect(newestMail(server.dataDir, at('before')).text).toContain(at('after'))
    expect(await membersOf(orgId)).toContain('after member')
    // A member of another organization keeps the address, as does an account that the directory did not make.
    await query(server, `insert into org_members (org_id, user_id, role, joined_at) values ('other', ?, 'member', 1)`, [
      id,
    ])
    expect(await refusal(at('again'))).toBe('mutability')
    await world.join(owner, 'member', await world.person({ email: at('own') }))
    const { user: own } = await create('own')
    const other = await send('PUT', `/Users/${own.id}`, { ...own, userName: at('elsewhere') })
    expect([other.status, (await other.json()).scimType]).toEqual([400, 'mutability'])
    expect(await userId('own')).not.toBeNull()
  })

  it('become members once they have confirmed an account that was there', async () => {
    const { create, at, send, orgId } = await aDirectory()
    await world.person({ email: at('late'), verified: false })
    const { user } = await create('late')
    await query(server, 'update users set email_verified = 1 where email = ?', [at('late')])
    await send('PUT', `/Users/${user.id}`, user)
    expect(await membersOf(orgId)).toContain('late member')
  })

  it('are refused outside the proved domains, without an address, and twice', async () => {
    const { create, send } = await aDirectory()
    const refusal = async (body: unknown) => {
      const answer = await send('POST', '/Users', body)
      return [answer.status, (await answer.json()).scimType]
    }
    expect(await refusal({ userName: 'ceo@victim.example' })).toEqual([400, 'invalidValue'])
    expect(await refusal({ userName: 'no-address' })).toEqual([400, 'invalidValue'])
    expect(await refusal({})).toEqual([400, 'invalidValue'])
    expect(await refusal([])).toEqual([400, 'invalidSyntax'])
    await create('twice')
    expect((await create('twice')).answer.status).toBe(409)
    expect(await query(server, 'select 1 from users where email = ?', ['ceo@victim.example'])).toEqual([])
  })

  it('leave an unconfirmed account alone', async () => {
    const { create, orgId, at } = await aDirectory()
    const squatter: TeamPerson = await world.person({ email: at('taken'), verified: false })
    expect((await create('taken')).answer.status).toBe(201)
    expect(await membersOf(orgId)).not.toContain('taken member')
    expect((await sessionOf(squatter.browser)).emailVerified).toBe(false)
  })

  it('belong to one organization: another directory neither finds nor changes them', async () => {
    const [ours, theirs] = [await aDirectory(), await aDirectory()]
    const { user } = await ours.create('ours')
    expect((await theirs.send('GET', `/Users/${user.id}`)).status).toBe(404)
    expect((await theirs.send('DELETE', `/Users/${user.id}`)).status).toBe(404)
    expect((await (await theirs.send('GET', '/Users')).json()).totalResults).toBe(0)
    const browser = createBrowser(server.origin)
    expect((await browser.get('/_fw/scim/v2/Users')).status).toBe(401)
  })
})

describe('the groups of a directory', () => {
  const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'

  /** A directory with some people, and a group that has the first two. */
  async function aGroup() {
    const directory = await aDirectory()
    const { create, send } = directory
    const ids: string[] = []
    for (const name of ['ada', 'ben', 'cyd']) ids.push((await create(name)).user.id)
    const [ada = '', ben = '', cyd = ''] = ids
    const answer = await send('POST', '/Groups', {
      schemas: [GROUP, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
      displayName: 'Editors',
      externalId: 'g-1',
      members: [{ value: ada, display: 'Ada' }, { value: ben }],
    })
    const group = await answer.json()
    const path = `/Groups/${group.id}`
    const members = async () =>
      ((await (await send('GET', path)).json()).members as { value: string }[])
        .map(({ value }) => ['ada', 'ben', 'cyd'][ids.indexOf(value)])
        .toSorted()
    const patch = (...Operations: object[]) => send('PATCH', path, { Operations })
    return { ...directory, answer, group, path, members, patch, ada, ben, cyd }
  }

  it('come back as they were sent, and people tell their groups', async () => {
    const { answer, group, send, ada, endpoint } = await aGroup()
    expect([answer.status, group]).toEqual([
      201,
      {
        schemas: [GROUP],
        id: expect.any(String),
        externalId: 'g-1',
        displayName: 'Editors',
        members: expect.arrayContaining([
          { value: ada, display: 'ada Larch', type: 'User', $ref: `${endpoint}/Users/${ada}` },
        ]),
        meta: expect.objectContaining({ resourceType: 'Group', location: `${endpoint}/Groups/${group.id}` }),
      },
    ])
    expect(await (await send('GET', `/Groups/${group.id}`)).json()).toEqual(group)
    const inGroup = { value: group.id, display: 'Editors', type: 'direct', $ref: `${endpoint}/Groups/${group.id}` }
    expect((await (await send('GET', `/Users/${ada}`)).json()).groups).toEqual([inGroup])
    await send('PUT', `/Users/${ada}`, { ...(await (await send('GET', `/Users/${ada}`)).json()), groups: [] })
    expect((await (await send('GET', `/Users/${ada}`)).json()).groups).toEqual([inGroup])
  })

  it('are found as Okta and Entra ID look for them, with the attributes that they want', async () => {
    const { send, group, ada, cyd } = await aGroup()
    await send('POST', '/Groups', { displayName: 'Ärzte' })
    const find = async (query: string) => (await send('GET', `/Groups?${query}`)).json()
    const names = async (filter: string) =>
      (await find(`filter=${encodeURIComponent(filter)}`)).Resources.map(
        ({ displayName }: { displayName: string }) => displayName,
      )
    expect(await names('displayName eq "editors"')).toEqual(['Editors'])
    expect(await names('displayName eq "ÄRZTE"')).toEqual(['Ärzte'])
    expect(await names('externalId eq "g-1" and displayName eq "Editors"')).toEqual(['Editors'])
    expect(await names(`id eq "${group.id}" and members eq "${ada}"`)).toEqual(['Editors'])
    expect(await names(`members eq "${cyd}"`)).toEqual([])
    expect((await send('GET', `/Groups?filter=${encodeURIComponent('title eq "x"')}`)).status).toBe(400)
    const page = await find('startIndex=2&count=1&excludedAttributes=members,meta')
    expect(page).toMatchObject({ totalResults: 2, startIndex: 2, itemsPerPage: 1 })
    expect(page.Resources).toEqual([{ schemas: [GROUP], id: expect.any(String), displayName: 'Ärzte' }])
    const only = await find('count=1&attributes=displayName,members.value')
    expect(Object.keys(only.Resources[0])).toEqual(['schemas', 'id', 'displayName', 'members'])
    expect(Object.keys(only.Resources[0].members[0])).toEqual(['value'])
  })

  it.each<[string, (ids: Record<'ada' | 'ben' | 'cyd', string>) => object[], string[]]>([
    [
      'Okta: a new name, without a path',
      () => [{ op: 'replace', value: { id: 'x', displayName: 'New' } }],
      ['ada', 'ben'],
    ],
    [
      'Okta: one leaves and one enters',
      ({ ada, cyd }) => [
        { op: 'remove', path: `members[value eq "${ada}"]` },
        { op: 'add', path: 'members', value: [{ value: cyd, display: 'Cyd' }] },
      ],
      ['ben', 'cyd'],
    ],
    ['Okta: other members', ({ cyd }) => [{ op: 'replace', path: 'members', value: [{ value: cyd }] }], ['cyd']],
    ['Okta: no members', () => [{ op: 'replace', path: 'members', value: [] }], []],
    [
      'Entra ID: one enters',
      ({ cyd }) => [{ op: 'Add', path: 'members', value: [{ $ref: null, value: cyd }] }],
      ['ada', 'ben', 'cyd'],
    ],
    [
      'Entra ID: one leaves',
      ({ ben }) => [{ op: 'Remove', path: 'members', value: [{ $ref: null, value: ben }] }],
      ['ada'],
    ],
    [
      'Entra ID with its flag: no path',
      ({ cyd }) => [{ op: 'Add', value: { members: [{ value: cyd }] } }],
      ['ada', 'ben', 'cyd'],
    ],
    [
      'a member twice',
      ({ ada }) => [{ op: 'add', path: 'members', value: [{ value: ada }, { value: ada }] }],
      ['ada', 'ben'],
    ],
    [
      'somebody who is no member leaves',
      ({ cyd }) => [{ op: 'remove', path: `members[value eq "${cyd}"]` }],
      ['ada', 'ben'],
    ],
    ['an empty list leaves', () => [{ op: 'remove', path: 'members', value: [] }], ['ada', 'ben']],
    ['all leave', () => [{ op: 'remove', path: 'members' }], []],
  ])('change by PATCH. %s', async (_name, operations, expected) => {
    const { patch, members, ada, ben, cyd } = await aGroup()
    expect((await patch(...operations({ ada, ben, cyd }))).status).toBe(204)
    expect(await members()).toEqual(expected)
  })

  it('change by PUT, members included, and end by DELETE', async () => {
    const { send, path, group, members, ada, cyd } = await aGroup()
    const put = await send('PUT', path, { displayName: 'Writers', members: [{ value: ada }, { value: cyd }] })
    expect(await put.json()).toMatchObject({ id: group.id, displayName: 'Writers' })
    expect(await members()).toEqual(['ada', 'cyd'])
    await send('PUT', path, { displayName: 'Writers', members: [] })
    expect(await members()).toEqual([])
    expect([(await send('DELETE', path)).status, (await send('GET', path)).status]).toEqual([204, 404])
    expect((await send('DELETE', path)).status).toBe(404)
  })

  it('have members of their own directory only, and one name each', async () => {
    const ours = await aGroup()
    const theirs = await aGroup()
    const refusal = async (answer: Response) => [answer.status, (await answer.json()).scimType]
    const foreign = { op: 'add', path: 'members', value: [{ value: ours.cyd }, { value: theirs.ada }] }
    expect(await refusal(await ours.patch(foreign))).toEqual([400, 'invalidValue'])
    expect(await ours.members()).toEqual(['ada', 'ben'])
    expect(await refusal(await ours.patch({ op: 'add', path: 'members', value: 'x' }))).toEqual([400, 'invalidValue'])
    const byType = { op: 'remove', path: 'members[type eq "User"]' }
    expect(await refusal(await ours.patch(byType))).toEqual([400, 'invalidPath'])
    expect(await refusal(await ours.send('POST', '/Groups', { displayName: 'EDITORS' }))).toEqual([409, 'uniqueness'])
    expect(await refusal(await ours.send('POST', '/Groups', {}))).toEqual([400, 'invalidValue'])
    expect((await theirs.send('GET', ours.path)).status).toBe(404)
    expect((await theirs.send('DELETE', ours.path)).status).toBe(404)
  })

  it('lose no member by parallel requests, and a removed person leaves them', async () => {
    const { create, patch, members, send, path, ada } = await aGroup()
    const people = await Promise.all(Array.from({ length: 8 }, (_, index) => create(`many${index}`)))
    const entering = people.map(({ user }) => patch({ op: 'add', path: 'members', value: [{ value: user.id }] }))
    expect((await Promise.all(entering)).map(({ status }) => status)).toEqual(Array(8).fill(204))
    expect(await members()).toHaveLength(10)
    await send('DELETE', `/Users/${ada}`)
    expect((await (await send('GET', path)).json()).members).toHaveLength(9)
  })

  it('have 10,000 members', async () => {
    const { orgId, send, path } = await aGroup()
    await query(
      server,
      `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 10000)
        insert into fw_directory_people (id, org_id, user_name, user_name_key, email, active, data, created_at, updated_at)
        select ? || n, ?, ? || n, ? || n, 'x', 1, '{}', 1, 1 from numbers`,
      Array(4).fill(orgId),
    )
    const all = Array.from({ length: 10_000 }, (_, index) => ({ value: `${orgId}${index + 1}` }))
    const put = await send('PUT', path, { displayName: 'Everyone', members: all })
    expect([put.status, (await put.json()).members.length]).toEqual([200, 10_000])
    const Operations = [{ op: 'Remove', path: 'members', value: all.slice(0, 1000) }]
    const named = await send('PATCH', `${path}?attributes=members.value`, { Operations })
    expect([named.status, (await named.json()).members.length]).toEqual([200, 9000])
  })
})

/** A directory with people, two groups, and requests about the mapping. */
async function aMapping() {
  const directory = await aDirectory()
  const { create, send, owner, orgId } = directory
  const idOf = new Map<string, string>()
  for (const name of ['ada', 'ben']) idOf.set(name, (await create(name)).user.id)
  const groupOf = async (displayName: string, ...names: string[]) => {
    const members = names.map(name => ({ value: idOf.get(name) }))
    const { id } = await (await send('POST', '/Groups', { displayName, members })).json()
    return { id: String(id), path: `/Groups/${id}` }
  }
  const map = async (mapping: object[], query = '') => {
    const answer = await owner.browser.request(`/_fw/org/directory/mapping${query}`, {
      method: 'PUT',
      json: { mapping },
    })
    return answer.json()
  }
  const appRoles = async () =>
    (
      await query(
        server,
        `select u.email as email, r.role as role from app_member_roles r join users u on u.id = r.user_id
          where r.org_id = ? order by u.email`,
        [orgId],
      )
    ).map(({ email, role }) => `${String(email).split('@')[0]} ${role}`)
  const told = async () =>
    (
      await query(server, `select input from audit_log where org_id = ? and action = 'directory-role' order by rowid`, [
        orgId,
      ])
    ).map(({ input }) => JSON.parse(String(input)))
  const leaves = (name: string, { path }: { path: string }) =>
    send('PATCH', path, { Operations: [{ op: 'remove', path: `members[value eq "${idOf.get(name)}"]` }] })
  const enters = (name: string, { path }: { path: string }) =>
    send('PATCH', path, { Operations: [{ op: 'add', path: 'members', value: [{ value: idOf.get(name) }] }] })
  return { ...directory, idOf, groupOf, map, appRoles, told, leaves, enters }
}

describe('the roles that groups give', () => {
  it('come and go with the group, at once and with audit rows', async () => {
    const { groupOf, map, orgId, appRoles, told, leaves, enters, send, at } = await aMapping()
    const it = await groupOf('IT', 'ada')
    const person = { id: expect.any(String), name: 'ada Larch', email: at('ada'), image: null }
    const changes = [
      { person, appId: null, before: 'member', after: 'admin' },
      { person, appId: 'notes', before: null, after: 'curator' },
    ]
    const entry = { group: it.id, orgRole: 'admin', role: 'curator' }
    expect(await map([entry], '?dryRun=true')).toMatchObject({ total: 2, changes })
    expect([await membersOf(orgId), await appRoles()]).toEqual([expect.arrayContaining(['ada member']), []])
    expect(await map([entry])).toMatchObject({ total: 2, changes })
    expect([await membersOf(orgId), await appRoles()]).toEqual([expect.arrayContaining(['ada admin']), ['ada curator']])
    await enters('ben', it)
    expect([await membersOf(orgId), await appRoles()]).toEqual([
      expect.arrayContaining(['ada admin', 'ben admin']),
      ['ada curator', 'ben curator'],
    ])
    await leaves('ada', it)
    expect([await membersOf(orgId), await appRoles()]).toEqual([
      expect.arrayContaining(['ada member', 'ben admin']),
      ['ben curator'],
    ])
    expect(await told()).toEqual([
      { email: at('ada'), role: 'admin' },
      { email: at('ada'), role: 'curator', appId: 'notes' },
      { email: at('ben'), role: 'admin' },
      { email: at('ben'), role: 'curator', appId: 'notes' },
      { email: at('ada'), role: 'member' },
      { email: at('ada'), role: null, appId: 'notes' },
    ])
    await send('DELETE', it.path)
    expect([await membersOf(orgId), await appRoles()]).toEqual([expect.arrayContaining(['ben member']), []])
  })

  it('are the highest of all groups, and in the application those of the first one', async () => {
    const { groupOf, map, orgId, appRoles, owner } = await aMapping()
    const [all, few] = [await groupOf('All', 'ada', 'ben'), await groupOf('Few', 'ada')]
    const rows = [
      { group: all.id, orgRole: 'member', role: 'reader' },
      { group: few.id, orgRole: 'admin', appId: 'notes', role: 'curator' },
    ]
    await map(rows)
    expect([await membersOf(orgId), await appRoles()]).toEqual([
      expect.arrayContaining(['ada admin', 'ben member']),
      ['ada reader', 'ben reader'],
    ])
    await map(rows.toReversed())
    expect(await appRoles()).toEqual(['ada curator', 'ben reader'])
    expect(await (await owner.browser.get('/_fw/org/directory/mapping')).json()).toEqual({
      groups: [
        { id: all.id, name: 'All', people: 2 },
        { id: few.id, name: 'Few', people: 1 },
      ],
      mapping: [
        { group: few.id, name: 'Few', orgRole: 'admin', appId: 'notes', role: 'curator', isTeam: false },
        { group: all.id, name: 'All', orgRole: 'member', appId: 'notes', role: 'reader', isTeam: false },
      ],
      appRoles: { appId: 'notes', roles: ['curator', 'reader'] },
    })
    await map([])
    expect([await membersOf(orgId), await appRoles()]).toEqual([
      expect.arrayContaining(['ada member', 'ben member']),
      [],
    ])
  })

  it('never replace those that people gave, nor an owner', async () => {
    const { groupOf, map, orgId, appRoles, owner, at, send, idOf } = await aMapping()
    await query(server, 'update users set email = ? where id = ?', [at('boss'), owner.userId])
    const boss = await (await send('POST', '/Users', { userName: at('boss') })).json()
    idOf.set('boss', boss.id)
    const give = (email: string, role: string) =>
      owner.browser.request(`/_fw/org/members/${email}`, { method: 'PATCH', json: { role } })
    await give(at('ada'), 'admin')
    await owner.browser.request('/_fw/org/app-roles', { method: 'PUT', json: { email: at('ada'), role: 'curator' } })
    const group = await groupOf('All', 'ada', 'ben', 'boss')
    await map([{ group: group.id, orgRole: 'admin', role: 'reader' }])
    const given = ['ada admin', 'ben admin', 'boss owner']
    expect((await membersOf(orgId)).toSorted()).toEqual(given)
    expect(await appRoles()).toEqual(['ada curator', 'ben reader', 'boss reader'])
    // A person takes ben's role, then gives it: now it is not the directory's.
    await give(at('ben'), 'member')
    await give(at('ben'), 'admin')
    await map([])
    expect((await membersOf(orgId)).toSorted()).toEqual(given)
    expect(await appRoles()).toEqual(['ada curator'])
  })

  it('come back with a person, and end with the directory', async () => {
    const { groupOf, map, orgId, appRoles, send, idOf, owner } = await aMapping()
    const group = await groupOf('IT', 'ada', 'ben')
    await map([{ group: group.id, orgRole: 'admin', role: 'curator' }])
    const activate = (active: boolean) =>
      send('PATCH', `/Users/${idOf.get('ada')}`, { Operations: [{ op: 'replace', value: { active } }] })
    await activate(false)
    expect([await membersOf(orgId), await appRoles()]).toEqual([
      expect.not.arrayContaining(['ada admin']),
      ['ben curator'],
    ])
    await activate(true)
    expect(await membersOf(orgId)).toEqual(expect.arrayContaining(['ada admin', 'ben admin']))
    await owner.browser.request('/_fw/org/directory', { method: 'DELETE' })
    expect([await membersOf(orgId), await appRoles()]).toEqual([
      expect.arrayContaining(['ada member', 'ben member']),
      [],
    ])
    const left = await query(server, 'select 1 from fw_directory_roles where org_id = ?', [orgId])
    expect(left).toEqual([])
  })

  it('are decided by owners with a recent sign-in, for groups and roles that exist', async () => {
    const { groupOf, map, owner } = await aMapping()
    const group = await groupOf('IT')
    const faults = async (...mapping: object[]) => {
      const { code, errors = [] } = await map(mapping)
      return [code, ...errors.map(({ path }: { path: string }) => path)]
    }
    const once = { group: group.id, orgRole: 'admin' }
    expect(await faults({ group: 'other', orgRole: 'admin' })).toEqual(['invalid-input', 'mapping.0.group'])
    expect(await faults(once, once)).toEqual(['invalid-input', 'mapping.1.group'])
    expect(await faults({ group: group.id })).toEqual(['invalid-input', 'mapping.0'])
    expect(await faults({ group: group.id, orgRole: 'owner' })).toEqual(['invalid-input', 'mapping.0.orgRole'])
    expect(await faults({ group: group.id, role: 'king' })).toEqual(['unknown-role'])
    expect(await faults({ group: group.id, appId: 'other', role: 'reader' })).toEqual(['unknown-app'])
    const admin = await world.join(owner, 'admin')
    const byAdmin = await admin.browser.request('/_fw/org/directory/mapping', { method: 'PUT', json: { mapping: [] } })
    expect([byAdmin.status, (await admin.browser.get('/_fw/org/directory/mapping')).status]).toEqual([403, 200])
    await query(server, 'update sessions set created_at = created_at - 960000 where user_id = ?', [owner.userId])
    expect(await faults(once)).toEqual(['fresh-session-required'])
  })
})

describe('groups that are teams', () => {
  /** A mapping, and requests about teams of its organization. */
  async function teamsOfGroups() {
    const mapping = await aMapping()
    const { owner, orgId } = mapping
    const teams = async () => {
      const rows = await query(
        server,
        `select t.name as name, u.email as email from fw_teams t left join fw_team_members m on m.team_id = t.id
          left join users u on u.id = m.user_id where t.org_id = ? order by t.name, u.email`,
        [orgId],
      )
      return rows.map(({ name, email }) => `${String(name)}: ${email === null ? '' : String(email).split('@')[0]}`)
    }
    const told = async () =>
      (
        await query(
          server,
          `select input from audit_log where org_id = ? and action = 'directory-team' order by rowid`,
          [orgId],
        )
      ).map(({ input }) => JSON.parse(String(input)))
    const request = (method: string, path: string, json?: object) =>
      owner.browser.request(`/_fw/org/teams${path}`, { method, json })
    return { ...mapping, teams, told, request }
  }

  it('have the people of the group, at once and with audit rows', async () => {
    const { groupOf, map, teams, told, leaves, enters, send, at } = await teamsOfGroups()
    const group = await groupOf('Sales', 'ada')
    const plan = { total: 0, changes: [], teams: { added: [{ name: 'Sales', people: 1 }], deleted: [] } }
    expect(await map([{ group: group.id, isTeam: true }], '?dryRun=true')).toEqual(plan)
    expect(await teams()).toEqual([])
    expect(await map([{ group: group.id, isTeam: true }])).toEqual(plan)
    expect(await teams()).toEqual(['Sales: ada'])
    await enters('ben', group)
    await leaves('ada', group)
    expect(await teams()).toEqual(['Sales: ben'])
    await send('PATCH', group.path, { Operations: [{ op: 'replace', value: { displayName: 'Deals' } }] })
    expect(await teams()).toEqual(['Deals: ben'])
    await send('DELETE', group.path)
    expect(await teams()).toEqual([])
    expect(await told()).toEqual([
      { name: 'Sales', added: [at('ada')], removed: [] },
      { name: 'Sales', added: [at('ben')], removed: [] },
      { name: 'Sales', added: [], removed: [at('ada')] },
      { name: 'Deals', isDeleted: true },
    ])
  })

  it('are edited by nobody, and a person who is away comes back', async () => {
    const { groupOf, map, teams, request, send, idOf, at, owner } = await teamsOfGroups()
    const group = await groupOf('Sales', 'ada')
    await map([{ group: group.id, isTeam: true }])
    const [{ id, isFromDirectory }] = (await (await request('GET', '')).json()).teams
    expect(isFromDirectory).toBe(true)
    const answers = [
      await request('PATCH', `/${id}`, { name: 'Mine' }),
      await request('PUT', `/${id}/members`, { members: [at('ben')] }),
      await request('DELETE', `/${id}`, { confirm: true }),
    ]
    expect(await Promise.all(answers.map(codeOf))).toEqual(answers.map(() => 'directory-team'))
    const activate = (active: boolean) =>
      send('PATCH', `/Users/${idOf.get('ada')}`, { Operations: [{ op: 'replace', value: { active } }] })
    await activate(false)
    expect(await teams()).toEqual(['Sales: '])
    await activate(true)
    expect(await teams()).toEqual(['Sales: ada'])
    await owner.browser.request('/_fw/org/directory', { method: 'DELETE' })
    expect(await teams()).toEqual([])
  })

  it('go with their shares when they are no teams any more, which a dry run counts', async () => {
    const { groupOf, map, teams, orgId } = await teamsOfGroups()
    const group = await groupOf('Sales', 'ada', 'ben')
    await map([{ group: group.id, isTeam: true }])
    await query(
      server,
      `insert into shares select 'notes', 'note-' || id, id, 'viewer', org_id, 'test', 1 from fw_teams where org_id = ?`,
      [orgId],
    )
    const plan = await map([], '?dryRun=true')
    expect(plan.teams).toEqual({ added: [], deleted: [{ name: 'Sales', people: 2, items: 1 }] })
    await map([])
    expect(await teams()).toEqual([])
    expect(await query(server, 'select 1 from shares where org_id = ?', [orgId])).toEqual([])
  })

  it('take no name of a team that is edited by hand', async () => {
    const { groupOf, map, request, teams, send } = await teamsOfGroups()
    const group = await groupOf('Sales', 'ada')
    expect((await request('POST', '', { name: 'SALES' })).status).toBe(201)
    const { code, errors } = await map([{ group: group.id, isTeam: true }])
    expect([code, errors[0].path, errors[0].code]).toEqual(['invalid-input', 'mapping.0.isTeam', 'name-taken'])
    await send('PATCH', group.path, { Operations: [{ op: 'replace', value: { displayName: 'Deals' } }] })
    await map([{ group: group.id, isTeam: true }])
    // The directory may take a name later. Both teams stay.
    await send('PATCH', group.path, { Operations: [{ op: 'replace', value: { displayName: 'Sales' } }] })
    expect(await teams()).toEqual(['SALES: ', 'Sales: ada'])
  })
})
