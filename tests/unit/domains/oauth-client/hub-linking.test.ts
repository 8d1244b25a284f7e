import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { setAuthProvider, requireOrg } from '#fairway/server/domains/organizations'
import { findOrgContext } from '#fairway/server/domains/organizations/org-context'
import { backgroundDone } from '#fairway/server/kernel/background'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp, type TestApp } from '../../../support/app'
import { withLatency } from '../../../support/database-slow'
import { startHub, type TestHub } from '../../../support/hub'
import { aMember, sessionNow, signInAs } from '../../../support/members'
import { query } from '../../../support/query'
import { APP_URL, createHubApp, signInThroughHub } from './hub-sign-in'

let hub: TestHub
let test: TestApp
let count = 0

beforeAll(async () => {
  hub = await startHub()
})
afterAll(() => hub.stop())
beforeEach(async () => {
  test = await createHubApp(hub)
})
afterEach(() => test.close())
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

const newEmail = () => `someone${++count}@example.test`
const usersOf = (email: string) => query(test.app, 'select * from users where email = ?', [email])
const accountsOf = (userId: unknown) =>
  query(test.app, 'select provider_id from accounts where user_id = ? order by provider_id', [String(userId)])

/** Returns hashes of all rows, by table. */
async function hashedRows(): Promise<Map<string, Set<string>>> {
  const tables = await query(
    test.app,
    "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'",
  )
  const found = new Map<string, Set<string>>()
  for (const { name } of tables) {
    const rows = await query(test.app, `select * from "${String(name)}"`)
    const hashes = rows.map(row =>
      createHash('sha256')
        .update(JSON.stringify(Object.entries(row)))
        .digest('hex'),
    )
    found.set(String(name), new Set(hashes))
  }
  return found
}

/** Creates a user with a password, a passkey and a session, as after a sign-up. */
async function aUser(email: string, verified: boolean): Promise<string> {
  const id = `user-${++count}`
  await test.app.db.client.batch([
    {
      sql: `insert into users (id, name, email, email_verified, kind, created_at, updated_at) values (?, 'U', ?, ?, 'person', 7, 7)`,
      args: [id, email, verified ? 1 : 0],
    },
    {
      sql: `insert into accounts (id, user_id, account_id, provider_id, password, created_at, updated_at) values (?, ?, ?, 'credential', 'hash', 7, 7)`,
      args: [id, id, id],
    },
    {
      sql: `insert into passkeys (id, user_id, name, credential_id, public_key, counter, transports, backed_up, created_at)
        values (?, ?, 'key', ?, 'key', 0, '', 0, 7)`,
      args: [id, id, id],
    },
  ])
  await signInAs(test.app, { userId: id, email, userAgent: FIREFOX })
  await backgroundDone(test.app)
  return id
}

describe('hub sign-in with a new email', () => {
  it('creates a verified account with a link and a session, without a password or a mail', async () => {
    const email = newEmail()
    const { location, signedIn } = await signInThroughHub(test.app, hub, email)
    expect([location, signedIn]).toEqual(['/notes', true])
    const [user] = await usersOf(email)
    expect(user).toMatchObject({ email, email_verified: 1, kind: 'person', name: email.split('@')[0] })
    const accounts = await query(test.app, 'select provider_id, password, access_token, id_token from accounts')
    expect(accounts).toMatchObject([{ provider_id: 'hub', password: null, access_token: null, id_token: null }])
    expect(await query(test.app, 'select user_id, provider from sessions')).toMatchObject([
      { user_id: user?.id, provider: 'hub' },
    ])
    expect(await query(test.app, 'select id from mail_outbox')).toEqual([])
  })

  it.each([
    ['password sign-up is switched off', { AUTH_REQUIRE_EMAIL_VERIFICATION: '1' }],
    ['addresses count without confirmation', { AUTH_REQUIRE_EMAIL_VERIFICATION: '0' }],
    ['mail is ready', { SMTP_URL: 'smtp://127.0.0.1:1', EMAIL_FROM: 'app@example.test' }],
  ])('creates a verified account when %s', async (_, env) => {
    await test.close()
    test = await createHubApp(hub, env)
    const email = newEmail()
    expect(await signInThroughHub(test.app, hub, email)).toMatchObject({ location: '/notes', signedIn: true })
    expect(await usersOf(email)).toMatchObject([{ email_verified: 1 }])
    expect(await query(test.app, 'select id from mail_outbox')).toEqual([])
  })

  it('creates one account and one link for twenty concurrent callbacks', async () => {
    const email = newEmail()
    const slow = withLatency(test.app)
    const ends = await Promise.all(Array.from({ length: 20 }, () => signInThroughHub(slow, hub, email)))
    expect(ends.filter(({ signedIn, location }) => signedIn && location === '/notes')).toHaveLength(20)
    const users = await usersOf(email)
    expect(users).toHaveLength(1)
    expect(await query(test.app, 'select user_id from accounts')).toMatchObject([{ user_id: users[0]?.id }])
    expect(await query(test.app, 'select distinct user_id from sessions')).toHaveLength(1)
  })

  it('creates an organization as for every new account', async () => {
    const email = newEmail()
    await signInThroughHub(test.app, hub, email)
    const [user] = await usersOf(email)
    const context = await findOrgContext(test.app, {
      userId: String(user?.id),
      email,
      name: 'Someone',
      provider: 'hub',
    })
    expect(context).toMatchObject({ orgRole: 'owner' })
  })
})

describe('hub sign-in with a confirmed email', () => {
  it('reuses the account, changes no row, and adds only a session, a device and a link', async () => {
    const email = newEmail()
    const userId = await aUser(email, true)
    const other = await aMember(test.app)
    await sessionNow(test.app, { userId, email, name: 'U' })
    const before = await hashedRows()
    const { signedIn } = await signInThroughHub(test.app, hub, email.toUpperCase())
    expect(signedIn).toBe(true)
    const after = await hashedRows()
    const added: Record<string, number> = {}
    for (const [table, rows] of after) {
      const known = before.get(table) ?? new Set()
      for (const row of known) expect(rows.has(row), table).toBe(true)
      if (rows.size > known.size) added[table] = rows.size - known.size
    }
    expect(added).toEqual({
      accounts: 1,
      fw_one_time: 2,
      known_devices: 1,
      security_event_counts: 1,
      security_events: 1,
      sessions: 1,
    })
    expect(await accountsOf(userId)).toMatchObject([{ provider_id: 'credential' }, { provider_id: 'hub' }])
    expect(await accountsOf(other.userId)).toEqual([])
    const [session] = await query(test.app, "select user_id, provider from sessions where provider = 'hub'")
    expect(session).toMatchObject({ user_id: userId })
  })

  it('adds one link for repeated sign-ins', async () => {
    const email = newEmail()
    const userId = await aUser(email, true)
    for (let visit = 0; visit < 3; visit++) await signInThroughHub(test.app, hub, email)
    expect(await accountsOf(userId)).toHaveLength(2)
  })

  it('ignores the hub’s claims about user, role, organization, name and id', async () => {
    const [email, victim] = [newEmail(), newEmail()]
    const userId = await aUser(email, true)
    const victimId = await aUser(victim, true)
    const before = await hashedRows()
    const claims = {
      sub: victimId,
      userId: victimId,
      name: 'Root',
      role: 'owner',
      org_id: 'another',
      org_domain: 'evil.test',
      emails: [victim],
      admin: true,
      emailVerified: false,
    }
    expect(await signInThroughHub(test.app, hub, email, { claims })).toMatchObject({ signedIn: true })
    const sessions = await query(test.app, "select user_id, provider from sessions where provider <> 'password'")
    expect(sessions).toMatchObject([{ user_id: userId, provider: 'hub' }])
    const after = await hashedRows()
    for (const table of ['users', 'organizations', 'org_members', 'app_role_assignments', 'user_settings']) {
      expect([table, after.get(table)]).toEqual([table, before.get(table)])
    }
    expect(await accountsOf(victimId)).toHaveLength(1)
  })

  it('finds the account by email, and neither follows nor moves an earlier link', async () => {
    const [old, fresh] = [newEmail(), newEmail()]
    await signInThroughHub(test.app, hub, old)
    const [first] = await usersOf(old)
    await query(test.app, 'update users set email = ? where email = ?', [fresh, old])
    await signInThroughHub(test.app, hub, old)
    const [second] = await usersOf(old)
    expect(second?.id).not.toBe(first?.id)
    await signInThroughHub(test.app, hub, fresh)
    const links = await query(test.app, 'select user_id from accounts order by created_at, id')
    expect(links.map(link => link.user_id)).toEqual([first?.id, second?.id])
    const sessions = await query(test.app, 'select user_id from sessions order by created_at, id')
    expect(sessions.map(session => session.user_id)).toEqual([first?.id, second?.id, first?.id])
  })
})

describe('hub sign-in with an unconfirmed email', () => {
  it('keeps the account’s data, confirms the email, and asks the owner to review earlier access', async () => {
    const email = newEmail()
    const userId = await aUser(email, false)
    const location = '/_fw/claim?return=%2Fnotes'
    expect(await signInThroughHub(test.app, hub, email)).toMatchObject({ location, signedIn: true })
    expect(await usersOf(email)).toMatchObject([{ id: userId, email_verified: 1, claim_since: expect.any(Number) }])
    expect(await accountsOf(userId)).toMatchObject([{ provider_id: 'credential' }, { provider_id: 'hub' }])
    expect(await query(test.app, 'select provider from sessions order by created_at, id')).toMatchObject([
      { provider: 'password' },
      { provider: 'hub' },
    ])
    expect(await query(test.app, 'select id from passkeys')).toHaveLength(1)
  })

  it('removes the password and other sessions when email verification is required', async () => {
    await test.close()
    test = await createHubApp(hub, { AUTH_REQUIRE_EMAIL_VERIFICATION: '1' })
    const email = newEmail()
    const userId = await aUser(email, false)
    expect(await signInThroughHub(test.app, hub, email)).toMatchObject({ signedIn: true })
    expect(await accountsOf(userId)).toMatchObject([{ provider_id: 'hub' }])
    expect(await query(test.app, 'select provider from sessions')).toMatchObject([{ provider: 'hub' }])
  })
})

describe('hub sign-in with the development account', () => {
  it('never links it or signs it in', async () => {
    await query(
      test.app,
      `insert into users (id, name, email, email_verified, kind, created_at, updated_at) values ('dev', 'Dev', 'dev@local.test', 1, 'dev', 0, 0)`,
    )
    const { location, signedIn } = await signInThroughHub(test.app, hub, 'dev@local.test')
    expect([location, signedIn]).toEqual(['/sign-in?error=dev-account-refused&return=%2Fnotes', false])
    expect(await query(test.app, 'select id from accounts')).toEqual([])
    expect(await query(test.app, 'select id from sessions')).toEqual([])
  })
})

describe('organization that requires Google', () => {
  const google = { claims: { auth_provider: 'google' } }

  async function anOrganization() {
    const owner = await aMember(test.app)
    await query(test.app, "update organizations set required_auth_provider = 'google' where id = ?", [owner.orgId])
    return owner
  }

  /** Returns the organization context for the newest session that was created through the hub. */
  async function contextOf(owner: Session) {
    const [row] = await query(test.app, 'select provider from sessions order by rowid desc limit 1')
    return findOrgContext(test.app, { ...owner, provider: String(row?.provider) })
  }

  it('is closed to hub sessions, even when a hub that is not trusted for Google names it', async () => {
    const owner = await anOrganization()
    for (const wrong of [{}, google]) {
      expect(await signInThroughHub(test.app, hub, owner.email, wrong)).toMatchObject({
        location: '/notes',
        signedIn: true,
      })
      expect(await contextOf(owner)).toMatchObject({ orgId: null, closedOrg: { id: owner.orgId, signIn: null } })
    }
  })

  it('opens to hub sessions when the hub is trusted for Google and names it', async () => {
    await test.close()
    test = await createHubApp(hub, { FW_IDENTITY_TRUSTED_PROVIDERS: 'google' })
    const owner = await aMember(test.app)
    await setAuthProvider(test.app, requireOrg(owner, 'set-auth-provider'), { provider: 'google', confirm: true })
    for (const wrong of [{}, { claims: { auth_provider: 'github' } }]) {
      await signInThroughHub(test.app, hub, owner.email, wrong)
      expect((await contextOf(owner)).closedOrg).toMatchObject({ signIn: '/_fw/identity/login?again=1' })
    }
    expect(await signInThroughHub(test.app, hub, owner.email, google)).toMatchObject({ signedIn: true })
    expect(await contextOf(owner)).toMatchObject({ orgId: owner.orgId, orgName: owner.orgName, orgRole: 'owner' })
  })
})

describe('app without a hub', () => {
  it('returns not-found for hub sign-in', async () => {
    const plain = await createTestApp({ FW_BASE_URL: APP_URL, FW_IDENTITY_HUB_URL: hub.origin })
    try {
      await expect(signInThroughHub(plain.app, hub, newEmail())).rejects.toMatchObject({ code: 'not-found' })
    } finally {
      await plain.close()
    }
  })
})
