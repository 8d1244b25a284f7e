import type { IncomingMessage } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sessionCookie, readySession } from '#fairway/server/domains/sessions'
import { cookieNow } from '#fairway/server/domains/sessions/sources'
import type { App } from '#fairway/server/kernel/app-context'
import { backgroundDone } from '#fairway/server/kernel/background'
import { openDatabase } from '#fairway/server/kernel/database/client'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp } from '../../../support/app'
import { quietLog } from '../../../support/database'
import { startSqld } from '../../../support/database-sqld'
import { addTo, aMember, signInAs } from '../../../support/members'

const DAY = 24 * 60 * 60 * 1000

interface World {
  app: App
  person: Session
  cookie: string
}

async function signedIn(app: App, provider = 'password'): Promise<World> {
  const person = await aMember(app)
  const [cookie = ''] = (await signInAs(app, { ...person, provider })).split(';')
  // A sign-in still writes in the background, and each write clears the sessions in memory.
  await backgroundDone(app)
  return { app, person, cookie }
}

async function aWorld(provider?: string): Promise<World> {
  const { app, close } = await createTestApp()
  onTestFinished(close)
  return signedIn(app, provider)
}

/** Changes the database as another process does. */
async function elsewhere(app: App, sql: string, args: (string | number)[]): Promise<void> {
  const db = await openDatabase({ ...app.config.database, log: quietLog })
  await db.client.execute({ sql, args })
  await db.close()
}

const requestWith = (cookie: string, more: Record<string, string> = {}) =>
  ({ headers: { cookie, ...more }, socket: { remoteAddress: '192.0.2.1' } }) as unknown as IncomingMessage

function eventWith(cookie: string) {
  const set: string[] = []
  const res = { getHeader: () => undefined, setHeader: (_name: string, value: string) => set.push(value) }
  return { event: { node: { req: requestWith(cookie), res }, context: {} } as never, set }
}

const find = ({ app, cookie }: World) => sessionCookie.find(eventWith(cookie).event, app)

/** Returns the session in the answer from memory, or undefined when there is no answer. */
function ready({ app, cookie }: World): Session | null | undefined {
  const answer = readySession(app, requestWith(cookie))
  return answer && JSON.parse(Buffer.from(String(answer.body), 'latin1').toString()).session
}

/** Looks a session up twice, so that it is in memory together with its answer. */
async function warm(world: World): Promise<World> {
  expect(await find(world)).not.toBeNull()
  expect(ready(world)).toMatchObject({ userId: world.person.userId })
  return world
}

const later = (world: World, milliseconds: number): World => ({
  ...world,
  app: { ...world.app, now: () => new Date(Date.now() + milliseconds) },
})

describe('a session in memory', () => {
  it('matches the database, and its response is the same, in any script', async () => {
    const world = await aWorld()
    await elsewhere(world.app, 'update users set name = ?', ['Zoë 田中'])
    await warm(world)
    expect(ready(world)?.name).toBe('Zoë 田中')
    const found = await find(world)
    expect(found).toMatchObject({ userId: world.person.userId, orgRole: 'owner' })
    expect(found?.id).toMatch(/^[\w-]{36}$/)
    expect(Object.keys(found ?? {})).not.toContain('id')
    expect(ready(world)).toEqual({ ...found })
  })

  it('is unaffected when a reader changes its copy', async () => {
    const world = await warm(await aWorld())
    const before = { ...(await find(world)) }
    Object.assign((await find(world)) ?? {}, { orgRole: 'admin', orgId: 'mine', email: 'other@example.test', more: 1 })
    expect({ ...(await find(world)) }).toEqual(before)
    expect(ready(world)).toEqual(before)
  })

  it('is unaffected when a reader changes the closed organization of its copy', async () => {
    const world = await warm(await aWorld())
    await elsewhere(world.app, 'update organizations set required_auth_provider = ?', ['google'])
    const first = await find(world)
    Object.assign(first?.closedOrg ?? {}, { id: 'mine', signIn: '/elsewhere' })
    expect((await find(world))?.closedOrg).toMatchObject({ id: world.person.orgId, provider: 'google' })
    expect((await find(world))?.closedOrg?.signIn).not.toBe('/elsewhere')
  })

  it.each([
    ['its row is deleted', 'delete from sessions where user_id = ?'],
    ['its account is deleted', 'delete from users where id = ?'],
  ])('gives no access from the moment %s, by this process or another', async (_what, sql) => {
    for (const doIt of [
      ({ app, person }: World) => app.db.client.execute({ sql, args: [person.userId] }),
      ({ app, person }: World) => elsewhere(app, sql, [person.userId]),
    ]) {
      const world = await warm(await aWorld())
      await doIt(world)
      expect(ready(world)).toBeUndefined()
      expect(await find(world)).toBeNull()
      expect(await cookieNow.find(eventWith(world.cookie).event, world.app)).toBeNull()
      expect(ready(world)).toBeUndefined()
    }
  })

  it('reflects role, membership and sign-in rule changes by another process on the next request', async () => {
    const { app } = await aWorld()
    const owner = await signedIn(app)
    const member = await signedIn(app)
    await app.db.client.execute({ sql: 'delete from org_members where user_id = ?', args: [member.person.userId] })
    await addTo(app, owner.person, member.person, 'member')
    await warm(member)
    expect(ready(member)).toMatchObject({ orgId: owner.person.orgId, orgRole: 'member' })

    const mine = 'where user_id = ?'
    await elsewhere(app, `update org_members set role = 'admin' ${mine}`, [member.person.userId])
    expect(ready(member)).toBeUndefined()
    expect(await find(member)).toMatchObject({ orgRole: 'admin' })
    expect(ready(member)).toMatchObject({ orgRole: 'admin' })

    const rule = 'update organizations set required_auth_provider = ? where id = ?'
    await elsewhere(app, rule, ['google', owner.person.orgId ?? ''])
    expect(ready(member)).toBeUndefined()
    expect(await find(member)).toMatchObject({ orgId: null, closedOrg: { id: owner.person.orgId } })

    await elsewhere(app, `delete from org_members ${mine}`, [member.person.userId])
    expect(ready(member)).toBeUndefined()
    expect((await find(member))?.orgId).not.toBe(owner.person.orgId)
  })

  it('ends at its expiry without a database write', async () => {
    const world = await warm(await aWorld())
    await elsewhere(world.app, 'update sessions set expires_at = ?', [Date.now() + 60_000])
    await warm(world)
    const over = later(world, 61_000)
    expect(ready(over)).toBeUndefined()
    expect(await find(over)).toBeNull()
    expect(ready(world)).not.toBeUndefined()
  })

  it('is renewed with its cookie after a day', async () => {
    const world = await warm(await aWorld())
    const nextDay = later(world, DAY + 1000)
    expect(ready(nextDay)).toBeUndefined()
    const { event, set } = eventWith(world.cookie)
    const renewed = await sessionCookie.find(event, nextDay.app)
    expect(set.join()).toContain('Max-Age=2592000')
    expect(Date.parse(renewed?.expiresAt ?? '')).toBeGreaterThan(Date.now() + 30 * DAY)
    await backgroundDone(world.app)
    await find(nextDay)
    expect(ready(nextDay)).toMatchObject({ expiresAt: renewed?.expiresAt })
  })

  it('gets its first organization when the pending invitation that prevented it expires', async () => {
    const world = await aWorld()
    const { app, person } = world
    const invitation = `insert into org_invitations (id, org_id, email, role, invited_by, status, token_hash, expires_at, created_at)
      values ('waiting', 'another', ?, 'member', 'somebody', 'pending', 'hash', ?, 0)`
    await app.db.client.execute({ sql: 'delete from org_members where user_id = ?', args: [person.userId] })
    await app.db.client.execute({ sql: 'delete from organizations', args: [] })
    await elsewhere(
      app,
      `insert into org_members (org_id, user_id, role, joined_at) values ('another', 'somebody', 'owner', 0)`,
      [],
    )
    await elsewhere(app, invitation, [person.email, Date.now() + 60_000])
    for (const _again of [1, 2]) expect(await find(world)).toMatchObject({ orgId: null })
    expect(ready(world)).toBeUndefined()
    expect(await find(later(world, 61_000))).toMatchObject({ orgRole: 'owner' })
  })

  it('is not used for a request with a credential, a forged cookie or no cookie', async () => {
    const world = await warm(await aWorld())
    expect(readySession(world.app, requestWith(world.cookie, { authorization: 'Bearer x' }))).toBeUndefined()
    expect(readySession(world.app, requestWith(''))).toBeUndefined()
    const forged = world.cookie.replace(/.{8}$/, 'AAAAAAA%3D')
    for (const _again of [1, 2]) {
      expect(ready({ ...world, cookie: forged })).toBeUndefined()
      expect(await find({ ...world, cookie: forged })).toBeNull()
    }
    expect(ready(world)).toMatchObject({ userId: world.person.userId })
  })

  it('belongs to the first valid cookie of several', async () => {
    const first = await aWorld()
    const second = await signedIn(first.app)
    const both = { ...first, cookie: `${first.cookie}; ${second.cookie}` }
    await warm(both)
    await first.app.db.client.execute({ sql: 'delete from sessions where user_id = ?', args: [first.person.userId] })
    expect(ready(both)).toBeUndefined()
    for (const _again of [1, 2]) expect(await find(both)).toMatchObject({ userId: second.person.userId })
    expect(ready(both)).toBeUndefined()
  })
})

describe('two instances on one libSQL server', () => {
  it('end a session immediately on one instance and within two seconds on the other', async () => {
    const server = await startSqld()
    onTestFinished(() => server.stop())
    const open = async () => {
      const { app, close } = await createTestApp({ DATABASE_URL: server.url })
      onTestFinished(close)
      return app
    }
    const here = await warm(await signedIn(await open()))
    const there = await warm({ ...here, app: await open() })
    await here.app.db.client.execute('delete from sessions')
    expect(ready(here)).toBeUndefined()
    expect(await find(here)).toBeNull()
    const since = performance.now()
    await expect.poll(() => find(there), { timeout: 3000, interval: 20 }).toBeNull()
    expect(performance.now() - since).toBeLessThan(2000)
    expect(ready(there)).toBeUndefined()
  })
})
