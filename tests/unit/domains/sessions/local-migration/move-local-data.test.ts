import { beforeEach, describe, expect, it } from 'vitest'
import { ensureDevAccount } from '#fairway/server/domains/people'
import { countLocalData, moveLocalData } from '#fairway/server/domains/sessions'
import type { Session } from '#fairway/shared/schemas/session'
import { useTestApp } from '../../../../support/use-app'
import { withLatency } from '../../../../support/database-slow'
import { addTo, aMember, anotherOrg, sessionNow } from '../../../../support/members'
import { query } from '../../../../support/query'

const LEGACY = 'local@localhost'

const test = useTestApp()
let dev: Session
let ada: Session

beforeEach(async () => {
  const { userId } = await ensureDevAccount(test.app)
  dev = await sessionNow(test.app, { userId, email: 'dev@local.test', name: 'Dev' })
  ada = await aMember(test.app)
})
const move = (target = ada, hasHook = false) => moveLocalData(test.app, target, { hasHook })
const setting = (userId: string, key: string, value: string) =>
  query(test.app, 'insert into user_settings (user_id, key, value) values (?, ?, ?)', [userId, key, value])
const noteOf = (id: string, owner: string, orgId: string | null, visibility = 'private') =>
  query(
    test.app,
    `insert into notes (id, owner_email, org_id, visibility, title, created_at, updated_at) values (?, ?, ?, ?, 'x', 0, 0)`,
    [id, owner, orgId, visibility],
  )
const note = async (id: string) =>
  (await query(test.app, 'select owner_email as owner, org_id as org, visibility from notes where id = ?', [id]))[0]

const stateOf = (person: Session, key: string, value: string, orgId = person.orgId) =>
  query(test.app, 'insert into application_state (user_id, org_id, key, value, updated_at) values (?, ?, ?, ?, 0)', [
    person.userId,
    orgId,
    key,
    value,
  ])
const states = () => query(test.app, 'select user_id, org_id, key, value from application_state order by org_id, key')

/** Adds rows of the development account to every table that the migration moves. */
async function localData() {
  await noteOf('mine', dev.email, dev.orgId)
  await noteOf('outside', dev.email, null)
  await setting(dev.userId, 'theme', 'dark')
  await stateOf(dev, 'tour', '3')
  await query(
    test.app,
    `insert into oauth_tokens (user_id, provider, access_token, refresh_token, expires_at) values (?, 'google', 'sealed', null, null)`,
    [dev.userId],
  )
}

const zeros = { application_state: 0, notes: 0, oauth_tokens: 0, user_settings: 0 }

describe('moveLocalData', () => {
  it('moves state, settings, provider tokens and owned rows to the account, and returns their counts', async () => {
    await localData()
    const counts = { application_state: 1, notes: 2, oauth_tokens: 1, user_settings: 1 }
    expect(await countLocalData(test.app, ada)).toEqual({ available: true, tables: counts })
    expect(await move()).toEqual({
      moved: counts,
      kept: zeros,
      targetEmail: ada.email,
      people: {
        from: { userIds: [dev.userId], emails: [dev.email, LEGACY] },
        to: { userId: ada.userId, email: ada.email, orgId: ada.orgId },
      },
      isHookDue: false,
    })
    expect(await query(test.app, 'select user_id, value from application_state')).toMatchObject([
      { user_id: ada.userId, value: '3' },
    ])
    expect(await query(test.app, 'select user_id from oauth_tokens')).toMatchObject([{ user_id: ada.userId }])
    expect(await query(test.app, `select user_id from user_settings where key = 'theme'`)).toMatchObject([
      { user_id: ada.userId },
    ])
    expect(await countLocalData(test.app, ada)).toEqual({ available: false, tables: zeros })
  })

  it('moves no rows the second time', async () => {
    await localData()
    await move()
    expect(await move()).toMatchObject({ moved: zeros, kept: zeros })
  })

  it('moves the rows once for five concurrent calls', async () => {
    await localData()
    const slow = withLatency(test.app)
    const moves = await Promise.all(Array.from({ length: 5 }, () => moveLocalData(slow, ada, { hasHook: true })))
    expect(moves.map(({ moved }) => moved.notes).toSorted()).toEqual([0, 0, 0, 0, 2])
    expect(moves.filter(({ isHookDue }) => isHookDue)).toHaveLength(1)
  })

  it('keeps the rows of other people and the rows about the development account itself', async () => {
    await localData()
    const bob = await aMember(test.app)
    await noteOf('bobs', bob.email, bob.orgId)
    await setting(dev.userId, 'dev-signed-out', '1')
    await query(test.app, `insert into vault_credentials values ('v', ?, null, 'key', 'x', 'k', 'last', 0, 0)`, [
      dev.orgId,
    ])
    await move()
    expect(await note('bobs')).toMatchObject({ owner: bob.email, org: bob.orgId })
    expect(await query(test.app, `select user_id from user_settings where key = 'dev-signed-out'`)).toMatchObject([
      { user_id: dev.userId },
    ])
    expect(await query(test.app, 'select org_id from vault_credentials')).toMatchObject([{ org_id: dev.orgId }])
    expect((await sessionNow(test.app, dev)).orgId).toBe(dev.orgId)
  })

  it('keeps the active organization of both accounts', async () => {
    await setting(dev.userId, 'active-org-id', dev.orgId ?? '')
    expect((await move()).moved).toMatchObject({ user_settings: 0 })
    expect((await sessionNow(test.app, ada)).orgId).toBe(ada.orgId)
    expect(await query(test.app, `select user_id from user_settings where key = 'active-org-id'`)).toEqual([
      { user_id: dev.userId },
    ])
  })

  it('prefers existing rows of the account, drops the local row and counts it as kept', async () => {
    await localData()
    await setting(ada.userId, 'theme', 'light')
    await query(
      test.app,
      `create table bookmarks (id integer primary key, owner_email text, url text, unique (owner_email, url))`,
    )
    await query(test.app, `insert into bookmarks (owner_email, url) values (?, 'a'), (?, 'a'), (?, 'b'), (?, 'b')`, [
      ada.email,
      dev.email,
      dev.email,
      LEGACY,
    ])
    const { moved, kept } = await move()
    expect(moved).toMatchObject({ bookmarks: 1, user_settings: 0 })
    expect(kept).toMatchObject({ bookmarks: 2, user_settings: 1 })
    expect(await query(test.app, 'select owner_email, url from bookmarks order by url')).toMatchObject([
      { owner_email: ada.email, url: 'a' },
      { owner_email: ada.email, url: 'b' },
    ])
    expect(
      await query(test.app, `select value from user_settings where user_id = ? and key = 'theme'`, [ada.userId]),
    ).toMatchObject([{ value: 'light' }])
  })

  it('finds rows of older applications by address and by the account with that address', async () => {
    await query(test.app, `insert into users (id, name, email, created_at, updated_at) values ('old', '', ?, 0, 0)`, [
      LEGACY,
    ])
    await setting('old', 'font', 'large')
    await noteOf('old', LEGACY, null)
    await noteOf('older', LEGACY, 'an organization that is gone')
    expect((await move()).moved).toMatchObject({ notes: 2, user_settings: 1 })
    expect(await note('older')).toMatchObject({ owner: ada.email, org: ada.orgId })
  })

  it('moves rows of tables with any name, but not of views', async () => {
    await query(
      test.app,
      `create table "a ""quoted"" table; --" (Owner_Email text, "the key" text primary key) without rowid`,
    )
    await query(test.app, `insert into "a ""quoted"" table; --" values (?, 'k')`, [dev.email])
    await query(test.app, `create table projects (owner_email text primary key)`)
    await query(test.app, `insert into projects values (?)`, [dev.email])
    await query(test.app, `create view seen as select owner_email from projects`)
    const { moved } = await move()
    expect(moved).toMatchObject({ 'a "quoted" table; --': 1, projects: 1 })
    expect(moved).not.toHaveProperty('seen')
    expect(await query(test.app, 'select * from projects')).toMatchObject([{ owner_email: ada.email }])
  })

  it('skips platform tables that an older database lacks', async () => {
    await query(test.app, 'drop table oauth_tokens')
    expect((await move()).moved).not.toHaveProperty('oauth_tokens')
  })
})

describe('a failure during the move', () => {
  it('leaves every row in place', async () => {
    await localData()
    await query(test.app, `create table zebras (owner_email text)`)
    await query(test.app, `insert into zebras values (?)`, [dev.email])
    await query(test.app, `create trigger no_zebras before update on zebras begin select raise(abort, 'no'); end`)
    await expect(move()).rejects.toThrow('no')
    expect(await countLocalData(test.app, ada)).toMatchObject({ tables: { notes: 2, zebras: 1, application_state: 1 } })
    expect(await query(test.app, 'select user_id from oauth_tokens')).toMatchObject([{ user_id: dev.userId }])
    await query(test.app, 'drop trigger no_zebras')
    expect((await move()).moved).toMatchObject({ notes: 2, zebras: 1 })
  })

  it('includes a row that a table constraint refuses, which is kept and not dropped', async () => {
    await localData()
    await query(test.app, `create table zebras (owner_email text unique check (owner_email like '%@local.test'))`)
    await query(test.app, `insert into zebras values (?)`, [dev.email])
    await expect(move()).rejects.toMatchObject({
      code: 'local-rows-refused',
      detail: expect.stringContaining('zebras'),
    })
    expect(await query(test.app, 'select * from zebras')).toMatchObject([{ owner_email: dev.email }])
    expect((await countLocalData(test.app, ada)).tables).toMatchObject({ notes: 2 })
  })
})

describe('the organization of moved rows', () => {
  it('is the person’s active one for rows of the development account’s organization', async () => {
    await noteOf('own', dev.email, dev.orgId)
    ada = await anotherOrg(test.app, ada, 'Where Ada works')
    await move()
    expect(await note('own')).toMatchObject({ owner: ada.email, org: ada.orgId })
    expect(ada.orgName).toBe('Where Ada works')
  })

  it('is the person’s active one for state too, where the person’s existing values win', async () => {
    await stateOf(dev, 'tour', '1')
    await stateOf(dev, 'draft', '"local"')
    await stateOf(dev, 'outside', '2', '')
    await stateOf(ada, 'draft', '"own"')
    const { moved, kept } = await move()
    expect([moved.application_state, kept.application_state]).toEqual([2, 1])
    const place = { user_id: ada.userId, org_id: ada.orgId }
    expect(await states()).toMatchObject([
      { user_id: ada.userId, org_id: '', key: 'outside', value: '2' },
      { ...place, key: 'draft', value: '"own"' },
      { ...place, key: 'tour', value: '1' },
    ])
  })

  it('is empty for the state of a person without an organization', async () => {
    await stateOf(dev, 'tour', '1')
    await move({ ...ada, orgId: null })
    expect(await states()).toMatchObject([{ user_id: ada.userId, org_id: '', key: 'tour' }])
  })

  it('shows new colleagues no rows that only the development account could see', async () => {
    await noteOf('published', dev.email, dev.orgId, 'org')
    await noteOf('edited', dev.email, dev.orgId, 'org-edit')
    await query(test.app, `insert into shares values ('notes', 'published', 'somebody', 'viewer', ?, ?, 0)`, [
      dev.orgId,
      dev.userId,
    ])
    await addTo(test.app, ada, await aMember(test.app), 'member')
    await move()
    expect(await note('published')).toMatchObject({ org: ada.orgId, visibility: 'private' })
    expect(await note('edited')).toMatchObject({ org: ada.orgId, visibility: 'private' })
    expect(await query(test.app, 'select * from shares')).toEqual([])
  })

  it('stays the same when the person is a member too, with visibility and shares of others', async () => {
    await addTo(test.app, dev, ada, 'member')
    await noteOf('team', dev.email, dev.orgId, 'org')
    for (const userId of [ada.userId, 'bob']) {
      await query(test.app, `insert into shares values ('notes', 'team', ?, 'viewer', ?, ?, 0)`, [
        userId,
        dev.orgId,
        dev.userId,
      ])
    }
    await move()
    expect(await note('team')).toMatchObject({ owner: ada.email, org: dev.orgId, visibility: 'org' })
    expect(await query(test.app, 'select user_id from shares')).toMatchObject([{ user_id: 'bob' }])
  })

  it('keeps its rows when it has other members but not the person, until the person joins', async () => {
    const bob = await aMember(test.app)
    await addTo(test.app, bob, dev, 'member')
    await noteOf('bobs team', dev.email, bob.orgId, 'org')
    expect((await countLocalData(test.app, ada)).tables).toMatchObject({ notes: 0 })
    expect((await move()).moved).toMatchObject({ notes: 0 })
    expect(await note('bobs team')).toMatchObject({ owner: dev.email, org: bob.orgId })
    await addTo(test.app, bob, ada, 'member')
    expect((await move()).moved).toMatchObject({ notes: 1 })
  })

  it('is empty for rows of a person without an organization', async () => {
    await noteOf('own', dev.email, dev.orgId)
    await move({ ...ada, orgId: null })
    expect(await note('own')).toMatchObject({ owner: ada.email, org: null })
  })
})
