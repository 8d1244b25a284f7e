import { describe, expect, it } from 'vitest'
import { createBrowser, sessionOf } from '../../../../support/http'
import { statusAndCode } from '../../../../support/error-code'
import { readOutbox } from '../../../../support/mail'
import { addGrant, countRows, query } from '../../../../support/query'
import { useServer } from '../../../../support/use-server'
import { createTeamWorld, PASSWORD, type TeamPerson } from '../../../../support/team'

const PATH = '/_fw/account'
const server = useServer({ env: { FW_RATE_LIMITS: 'off' } })
const world = createTeamWorld(server)

const note = ({ browser }: TeamPerson, title: string) =>
  browser
    .post('/_fw/actions/create-note', { json: { title, text: 'Text' } })
    .then(async answer => (await answer.json()).result.note)
const end = ({ browser, email }: TeamPerson, more: object = {}) =>
  browser.request(PATH, { method: 'DELETE', json: { email, ...more } })
const planOf = async ({ browser }: TeamPerson) => (await browser.get(PATH)).json()

/** A team whose member also has a second organization, as its only member. */
async function teamAndOwn() {
  const team = await world.team()
  const answer = await team.member.browser.post('/_fw/org', { json: { name: 'Own', confirm: true } })
  return { ...team, own: String((await answer.json()).id) }
}

/** Every table that has a row with this person's id in `user_id`. */
async function tablesWith(userId: string): Promise<string[]> {
  const columns = await query(
    server,
    `select m.name as name from sqlite_master m join pragma_table_info(m.name) c
      where m.type = 'table' and c.name = 'user_id' order by m.name`,
  )
  const found: string[] = []
  for (const { name } of columns)
    if ((await countRows(server, `"${String(name)}" where user_id = ?`, [userId])) > 0) found.push(String(name))
  return found
}

describe('GET /_fw/account/export', () => {
  it('exports the account’s own data without secrets or rows of other people', async () => {
    const { owner, member } = await teamAndOwn()
    await note(member, 'Mine')
    await note(owner, 'Not mine')
    await addGrant(server, { email: member.email, clientName: 'Editor' })
    await query(server, `insert into user_settings (user_id, key, value) values (?, 'colour', '"green"')`, [
      member.userId,
    ])
    const answer = await member.browser.get(`${PATH}/export`)
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="account-\d{4}-\d\d-\d\d\.json"$/)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const text = await answer.text()
    const { account, rows, application } = JSON.parse(text)
    expect(application).toBe('Fairway')
    expect(account.profile).toEqual([expect.objectContaining({ email: member.email, name: 'Person' })])
    expect(account.organizations).toHaveLength(2)
    expect(account.organizations.map(({ role }: { role: string }) => role).toSorted()).toEqual(['member', 'owner'])
    expect(account.connectedApps).toEqual([expect.objectContaining({ app: 'Editor' })])
    expect(account.settings).toContainEqual({ key: 'colour', value: '"green"' })
    expect(account.sessions).toHaveLength(1)
    expect(rows.notes).toEqual([expect.objectContaining({ title: 'Mine', owner_email: member.email })])
    // A page counts these parts to show the progress of the download.
    const parts = Number(answer.headers.get('x-export-parts'))
    expect(text.match(/\n {4}"/g)).toHaveLength(parts)
    expect(parts).toBe(Object.keys(account).length + Object.keys(rows).length)

    const secrets = await query(server, `select token as secret from sessions union select password from accounts`)
    for (const { secret } of secrets) expect(text).not.toContain(String(secret))
    expect(text).not.toContain('Not mine')
  })

  it('exports all 1,234 rows of a large table', async () => {
    const person = await world.person()
    await query(
      server,
      `insert into notes (id, owner_email, visibility, title, text, created_at, updated_at)
        with recursive n (i) as (select 1 union all select i + 1 from n where i < 1234)
        select 'many-' || i, ?, 'private', 'Note ' || i, '', 0, 0 from n`,
      [person.email],
    )
    const { rows } = await (await person.browser.get(`${PATH}/export`)).json()
    expect(new Set(rows.notes.map(({ id }: { id: string }) => id)).size).toBe(1234)
  })
})

describe('Account deletion', () => {
  it('previews the deleted and the remaining data without changing anything', async () => {
    const { owner, member, orgId } = await teamAndOwn()
    await note(member, 'Mine')
    const plan = await planOf(member)
    expect(plan).toMatchObject({ email: member.email, refusal: null, proof: { isFresh: true, hasPassword: true } })
    expect(plan.organizations.map(({ fate }: { fate: string }) => fate).toSorted()).toEqual(['deleted', 'left'])
    expect(plan.rows).toEqual([{ table: 'notes', rows: 1 }])
    expect((await planOf(owner)).organizations).toEqual([
      expect.objectContaining({ id: orgId, role: 'owner', members: 3, fate: 'blocks' }),
    ])
    expect(await countRows(server, 'users where id = ?', [member.userId])).toBe(1)
  })

  it('deletes all data of the account and ends all its sessions without affecting other accounts', async () => {
    const { owner, member, orgId, own: ownOrg } = await teamAndOwn()
    const theirs = await note(owner, 'Theirs')
    const own = await note(member, 'Mine')
    await owner.browser.post('/_fw/actions/share-note', {
      json: { id: theirs.id, email: member.email, role: 'editor' },
    })
    await query(
      server,
      `insert into shares (resource, resource_id, user_id, role, org_id, shared_by, shared_at) values ('notes', ?, ?, 'viewer', ?, ?, 0)`,
      [own.id, owner.userId, ownOrg, member.userId],
    )
    await addGrant(server, { email: member.email, clientName: 'Editor' })
    const elsewhere = createBrowser(server.origin)
    await elsewhere.post('/_fw/auth/sign-in/email', { json: { email: member.email, password: PASSWORD } })
    const answer = await end(member)
    expect([answer.status, await answer.json()]).toEqual([200, { deleted: true }])
    expect([await sessionOf(member.browser), await sessionOf(elsewhere)]).toEqual([null, null])
    // These rows remain: the organization's log with the names in it, and the operators' security events.
    const kept = ['audit_log', 'fw_ended_people', 'security_events']
    expect((await tablesWith(member.userId)).filter(name => !kept.includes(name))).toEqual([])
    expect(await countRows(server, 'users where id = ?', [member.userId])).toBe(0)
    expect(await countRows(server, 'notes where owner_email = ?', [member.email])).toBe(0)
    expect(await countRows(server, 'shares where resource_id = ?', [own.id])).toBe(0)
    expect(await countRows(server, 'organizations where id = ?', [ownOrg])).toBe(0)

    expect(await countRows(server, 'organizations where id = ?', [orgId])).toBe(1)
    expect(await countRows(server, 'notes where id = ?', [theirs.id])).toBe(1)
    expect((await sessionOf(owner.browser)).email).toBe(owner.email)
    const subjects = readOutbox(server.dataDir).filter(({ to }) => to === member.email)
    expect(subjects.at(-1)?.subject).toBe('Your account was deleted (Fairway)')
    expect(
      await countRows(server, `security_events where kind = 'account-deleted' and user_id = ?`, [member.userId]),
    ).toBe(1)
    const again = await createBrowser(server.origin).post('/_fw/auth/sign-in/email', {
      json: { email: member.email, password: PASSWORD },
    })
    expect(again.status).toBe(401)
  })

  it('returns 409 and names the organization for the last owner of an organization with other members', async () => {
    const { owner, admin, orgId } = await world.team()
    const answer = await end(owner)
    expect(answer.status).toBe(409)
    expect(await answer.json()).toMatchObject({ code: 'last-owner', organizations: [{ id: orgId }] })
    expect(await countRows(server, 'users where id = ?', [owner.userId])).toBe(1)
    await owner.browser.post('/_fw/org/transfer', { json: { email: admin.email } })
    expect((await end(owner)).status).toBe(200)
    expect(await countRows(server, `org_members where org_id = ? and role = 'owner'`, [orgId])).toBe(1)
  })

  it('keeps one owner when both owners of an organization delete their accounts concurrently', async () => {
    const { owner, admin, orgId } = await world.team()
    await owner.browser.request(`/_fw/org/members/${admin.email}`, { method: 'PATCH', json: { role: 'owner' } })
    const answers = await Promise.all([end(owner), end(admin)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(await countRows(server, `org_members where org_id = ? and role = 'owner'`, [orgId])).toBe(1)
  })

  it('deletes the account once when five requests arrive concurrently', async () => {
    const person = await world.person()
    const answers = await Promise.all(Array.from({ length: 5 }, () => end(person)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401])
  })

  it('requires the typed address and either a sign-in within the last 15 minutes or the password', async () => {
    const person = await world.person()
    expect(await statusAndCode(await end(person, { email: 'other@example.test' }))).toEqual([400, 'address-mismatch'])
    await query(server, 'update sessions set created_at = created_at - 960000 where user_id = ?', [person.userId])
    expect(await statusAndCode(await end(person))).toEqual([403, 'fresh-session-required'])
    expect(await statusAndCode(await end(person, { password: 'wrong' }))).toEqual([401, 'invalid-credentials'])
    expect(await countRows(server, 'users where id = ?', [person.userId])).toBe(1)
    expect((await end(person, { password: PASSWORD })).status).toBe(200)
  })

  it('returns 403 while the account review is open', async () => {
    const person = await world.person()
    await query(server, 'update users set claim_since = 1 where id = ?', [person.userId])
    expect(await statusAndCode(await end(person))).toEqual([403, 'claim-needs-proof'])
  })

  it('changes nothing and returns 409 when an application table refuses the deletion', async () => {
    const person = await world.person()
    await note(person, 'Kept')
    await query(
      server,
      `create trigger keep_notes before delete on notes when old.title = 'Kept' begin select raise(abort, 'kept'); end`,
    )
    try {
      expect(await statusAndCode(await end(person))).toEqual([409, 'rows-refused'])
      expect(await countRows(server, 'users where id = ?', [person.userId])).toBe(1)
      expect((await sessionOf(person.browser)).email).toBe(person.email)
    } finally {
      await query(server, 'drop trigger keep_notes')
    }
  })
})
