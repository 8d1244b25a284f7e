import { setTimeout as wait } from 'node:timers/promises'
import { test as base, expect } from '@playwright/test'
import type { Page } from '@playwright/test'
import { TIME_ZONE_COOKIE } from '#fairway/shared/device'
import * as fc from 'fast-check'
import { appPartition, createBroker, desktopAnswerSchema, desktopStatusSchema, HUB_PARTITION } from '../../src'
import { attach } from '../../src/program/attach'
import {
  confirm,
  createDesktopWorld,
  EMAIL,
  endSessions,
  EXCHANGE,
  leaksOf,
  seenBy,
  sessionsOf,
  startSession,
  switchHub,
  type DesktopWorld,
} from '../support/world'

const test = base.extend<{ ids: string[]; world: DesktopWorld }>({
  ids: [['notes', 'tasks'], { option: true }],
  world: async ({ browser, ids }, use) => {
    const world = await createDesktopWorld(browser, ids)
    await use(world)
    await world.stop()
    // After every test, no message contains a secret, and all statuses fit the schema.
    expect(leaksOf(world)).toEqual([])
    for (const status of world.statuses) expect(desktopStatusSchema.safeParse(status).success).toBe(true)
  },
})

const FIVE = ['a', 'b', 'c', 'd', 'e']
/** Every page of the hub writes it. It belongs to the device. */
const HUB_KEEPS = [TIME_ZONE_COOKIE]
const LOGIN = 'GET /_fw/identity/login'
const CALLBACK = 'GET /_fw/identity/callback'
const SESSION = 'GET /_fw/session'
const END = 'DELETE /_fw/session'
const CEREMONIES = 'POST /_fw/desktop/ceremonies'
const AVAILABILITY = 'GET /_fw/desktop/availability'

/** Polls more often than Playwright's default, because most conditions are met within a few milliseconds. */
const poll = <T>(read: () => T) => expect.poll(read, { intervals: [20] })

/** The rule of a server that never responds. */
const silence = () => new Promise<never>(() => {})

test.describe('workspace sign-in', () => {
  test('one window at the hub signs in to every application', async ({ world }) => {
    expect(await world.status()).toMatchObject({ state: 'idle', isAvailable: true, isEnabled: true, email: null })
    const answer = await world.signIn()
    expect(answer).toMatchObject({ ok: true, status: { state: 'signed-in', email: EMAIL, reason: null } })
    expect(await world.appLines()).toEqual(['notes: signed-in', 'tasks: signed-in'])
    expect(await seenBy(world, 'notes')).toBe(EMAIL)
    expect(await seenBy(world, 'tasks')).toBe(EMAIL)
    expect(world.hub.count(CEREMONIES)).toBe(1)
    const early = world.statuses.filter(({ apps }) => apps.some(({ status }) => status === 'working'))
    expect(new Set(early.map(({ state }) => state))).toEqual(new Set(['signing-in']))
    expect((await (await world.host.context(HUB_PARTITION)).pages()).length).toBe(0)
  })

  test('sends the desktop user agent in every request and window, and that alone grants no session', async ({
    world,
  }) => {
    const agents: unknown[] = []
    const remember = (server: DesktopWorld['hub'], what: string) =>
      server.rule(what, (asked, next) => {
        agents.push(asked.headers['user-agent'])
        return next()
      })
    remember(world.hub, CEREMONIES)
    remember(world.hub, 'GET /_fw/desktop/complete')
    remember(world.app('notes'), SESSION)
    expect(await seenBy(world, 'notes')).toBeNull()
    await switchHub(world, false)
    expect(await world.send({ type: 'sign-in' })).toEqual({ ok: false, code: 'switched-off' })
    expect(await seenBy(world, 'notes')).toBeNull()
    await switchHub(world, true)
    await world.signIn()
    expect(agents.length).toBeGreaterThanOrEqual(3)
    for (const agent of agents) expect(String(agent)).toMatch(/^Mozilla\/5\.0 .* Fairway-Desktop\/1\.2\.3$/)
  })

  test('requests no code from an application with a session, and reports one of another person unchanged', async ({
    world,
  }) => {
    await addSession(world, 'notes', EMAIL)
    await addSession(world, 'tasks', 'bob@example.com')
    expect(await world.signIn()).toMatchObject({ status: { state: 'incomplete' } })
    expect(await world.appLines()).toEqual(['notes: signed-in', 'tasks: failed other-account'])
    expect(await seenBy(world, 'tasks')).toBe('bob@example.com')
    for (const { count } of world.apps.values()) expect(count(LOGIN) + count(END)).toBe(0)
  })

  test('joins a second sign-in to the running one, with one window, one ceremony and one answer', async ({ world }) => {
    const { answer: first, window } = await world.begin()
    const second = world.send({ type: 'sign-in' })
    expect(await world.send({ type: 'retry' })).toMatchObject({ ok: true, status: { state: 'signing-in' } })
    await confirm(window)
    expect(await first).toMatchObject({ status: { state: 'signed-in' } })
    expect(await second).toEqual(await first)
    expect(world.hub.count(CEREMONIES)).toBe(1)
  })
})

test.describe('sign-in window', () => {
  test('completes only at the exact completion page, with a session', async ({ world }) => {
    const { answer, window } = await world.begin()
    await window.waitForURL(/ceremonies/)
    // The window shows the sign-in page, which leads back to the ceremony.
    const page = world.hub.origin + new URL(window.url()).searchParams.get('return')
    const complete = page.replace(/ceremonies\/[^?]*/, 'complete')
    await window.goto(complete.replace(world.hub.origin, world.app('notes').origin))
    await window.goto(`${complete}&more=1`)
    await wait(100)
    expect(world.hub.count(EXCHANGE)).toBe(0)
    expect((await window.goto(complete))?.status()).toBe(401)
    await poll(() => world.hub.count(EXCHANGE)).toBe(1)
    expect(await world.status()).toMatchObject({ state: 'signing-in', email: null })
    await window.goto(page)
    await confirm(window)
    expect(await answer).toMatchObject({ status: { state: 'signed-in' } })
  })

  test('cancels the sign-in five seconds after the person closes it, and times out after ten minutes', async ({
    world,
  }) => {
    const { answer, window } = await world.begin()
    const closing = window.waitForEvent('close')
    await window.close()
    await closing
    world.clock.pass(4000)
    expect(await world.status()).toMatchObject({ state: 'signing-in' })
    world.clock.pass(1000)
    expect(await answer).toMatchObject({ ok: true, status: { state: 'failed', reason: 'cancelled', email: null } })
    const next = await world.begin()
    await next.window.waitForURL(/ceremonies/)
    const closed = next.window.waitForEvent('close')
    world.clock.pass(600_000)
    expect(await next.answer).toMatchObject({ status: { state: 'failed', reason: 'timed-out' } })
    await closed
    expect(await world.signIn()).toMatchObject({ status: { state: 'signed-in' } })
  })

  test('signs in to no application when the hub session and the exchange name different people', async ({ world }) => {
    let asked = 0
    world.hub.rule(SESSION, (_asked, next) =>
      world.hub.count(EXCHANGE) > 0 && ++asked === 1 ? { json: { session: { email: 'eve@example.com' } } } : next(),
    )
    expect(await world.signIn()).toMatchObject({ status: { state: 'failed', reason: 'other-account', apps: [] } })
    expect(world.app('notes').asked).toEqual([])
    expect(await world.cookieNames(HUB_PARTITION)).toEqual(HUB_KEEPS)
  })
})

test.describe('five applications', () => {
  test.use({ ids: FIVE })

  test('are signed in to three at a time', async ({ world }) => {
    const now = { working: 0, most: 0 }
    const three = Promise.withResolvers<void>()
    for (const app of world.apps.values()) {
      app.rule(LOGIN, async (_asked, next) => {
        now.most = Math.max(now.most, ++now.working)
        if (now.most === 3) three.resolve()
        await three.promise
        // Leaves time for a fourth request to arrive.
        await wait(150)
        now.working -= 1
        return next()
      })
    }
    await world.signIn()
    expect(now.most).toBe(3)
  })
})

test.describe('a failed application', () => {
  test.use({ ids: FIVE })

  test('is named while the others are signed in, and retry repeats only its sign-in', async ({ world }) => {
    world.app('c').rule(LOGIN, () => ({ status: 503 }))
    expect(await world.signIn()).toMatchObject({ ok: true, status: { state: 'incomplete', email: EMAIL } })
    expect(await world.appLines()).toEqual([
      'a: signed-in',
      'b: signed-in',
      'c: failed unreachable',
      'd: signed-in',
      'e: signed-in',
    ])
    const before = new Map([...world.apps].map(([id, { asked }]) => [id, asked.length]))
    await world.send({ type: 'retry' })
    expect(await world.status()).toMatchObject({ state: 'incomplete' })
    world.app('c').rule(LOGIN, undefined)
    expect(await world.send({ type: 'retry' })).toMatchObject({ status: { state: 'signed-in' } })
    for (const id of ['a', 'b', 'd', 'e']) expect(world.app(id).asked.length).toBe(before.get(id))
    expect(await seenBy(world, 'c')).toBe(EMAIL)
    expect(world.hub.count(CEREMONIES)).toBe(1)

    // Without a session at the hub, retrying needs a new sign-in.
    await endSessions(world.hub)
    const { length } = world.app('c').asked
    expect(await world.send({ type: 'retry' })).toMatchObject({ ok: true, status: { state: 'sign-in-required' } })
    expect(world.app('c').asked.length).toBe(length)
  })

  test('is signed out again and named when it signs in another person', async ({ world }) => {
    const b = world.app('b')
    b.rule(CALLBACK, async () => ({
      location: '/',
      cookies: [await startSession(b, 'eve@example.com'), 'theme=dark; Path=/; Max-Age=600'],
    }))
    expect(await world.signIn()).toMatchObject({ status: { state: 'incomplete' } })
    expect(await world.appLines()).toContain('b: failed other-account')
    expect(b.count(END)).toBe(1)
    expect(await sessionsOf(b)).toEqual([])
    expect(await world.cookieNames(appPartition('b'))).toEqual(['theme'])
  })

  test('is reported as refused for each kind of invalid answer and keeps no session', async ({ world }) => {
    const { hub } = world
    const hostOf = (id: string) => new URL(world.app(id).origin).hostname
    world.app('a').rule(LOGIN, () => ({ location: `https://evil.example.com/_fw/identity/authorize?x=1` }))
    world.app('b').rule(LOGIN, async (_asked, next) => {
      const answer = await next()
      return { ...answer, location: answer.location?.replace(hostOf('b'), hostOf('c')) }
    })
    world.app('c').rule(CALLBACK, () => ({ status: 400 }))
    world.app('d').rule(SESSION, () => ({ json: { session: 'yes' } }))
    hub.rule('GET /_fw/identity/authorize', async (_asked, next) => {
      const answer = await next()
      return answer.location?.startsWith(world.app('e').origin)
        ? { ...answer, location: answer.location.replace(/state=[^&]*/, 'state=another') }
        : answer
    })
    expect(await world.signIn()).toMatchObject({ status: { state: 'incomplete' } })
    expect(await world.appLines()).toEqual(['a', 'b', 'c', 'd', 'e'].map(id => `${id}: failed refused`))
    expect(world.app('e').count(CALLBACK)).toBe(0)
    for (const app of world.apps.values()) expect(await sessionsOf(app)).toEqual([])
  })
})

test('an application that takes too long is abandoned, and its late session is ended', async ({ world }) => {
  const notes = world.app('notes')
  notes.rule(CALLBACK, silence)
  const { answer: signIn, window } = await world.begin()
  await confirm(window)
  await poll(() => notes.count(CALLBACK)).toBe(1)
  await poll(() => world.appLines()).toContain('tasks: signed-in')
  world.clock.pass(10_000)
  expect(await signIn).toMatchObject({ status: { state: 'incomplete' } })
  expect(await world.appLines()).toEqual(['notes: failed timed-out', 'tasks: signed-in'])
  await addSession(world, 'notes', 'eve@example.com')
  await poll(() => world.cookieNames(appPartition('notes'))).toEqual([])
  expect(await sessionsOf(notes)).not.toContain('eve@example.com')
  notes.rule(CALLBACK, undefined)
  expect(await world.send({ type: 'retry' })).toMatchObject({ status: { state: 'signed-in' } })
})

test.describe('eligibility of applications', () => {
  test.use({ ids: ['notes'] })

  test('names ineligible applications with the reason and requests no session from them', async ({ world }) => {
    const silent = await Promise.all([
      world.addApp('not-opted-in', { config: { workspaceSso: undefined }, isAsked: false }),
      world.addApp('in-development', { config: { mode: 'development' }, isAsked: false }),
      world.addApp('unregistered', { isAsked: false }),
    ])
    await world.addApp('other-hub')
    await world.addApp('no-secret')
    await world.restart()
    expect(await world.signIn()).toMatchObject({ status: { state: 'signed-in' } })
    expect(await world.appLines()).toEqual([
      'notes: signed-in',
      'not-opted-in: not-eligible not-opted-in',
      'in-development: not-eligible not-production',
      'unregistered: not-eligible not-registered',
      'other-hub: not-eligible hub-differs',
      'no-secret: not-eligible no-shared-secret',
    ])
    await world.broker.appLoaded('unregistered')
    await world.send({ type: 'sign-out' })
    for (const id of ['other-hub', 'no-secret']) expect(world.app(id).asked).toEqual([AVAILABILITY])
    for (const app of silent) expect(app.asked).toEqual([])
  })

  test('adds canonical applications to a shell that shows them, and restores them after a restart without a sign-in', async ({
    world,
  }) => {
    world.retellApps(app => ({ ...app, isCanonical: app.appId !== 'tasks' }))
    const open = () =>
      createBroker({ host: world.host, hub: world.hub.origin, apps: [], showsCanonical: true, allowLoopback: true })
    const origin = world.app('notes').origin
    world.broker.stop()
    world.broker = open()
    await world.broker.start()
    expect(world.broker.apps()).toEqual([])
    expect(world.broker.speaksTo(origin)).toBe(false)
    await world.signIn()
    expect(world.broker.apps()).toContainEqual({
      id: 'notes',
      name: 'Notes',
      origin,
      mode: 'production',
      isEnabled: true,
    })
    expect(world.broker.apps().some(({ id }) => id === 'tasks')).toBe(false)
    expect(await world.appLines()).toContain('notes: signed-in')
    expect(world.app('notes').count(AVAILABILITY)).toBe(0)
    expect(world.broker.speaksTo(origin)).toBe(true)
    world.broker.stop()
    // When the hub has switched the feature off, the applications stay visible, each with a separate sign-in.
    await switchHub(world, false)
    world.broker = open()
    await world.broker.start()
    expect(world.broker.apps().map(({ id }) => id)).toContain('notes')
  })
})

test.describe('an application opened after the sign-in', () => {
  test('is signed in to once when opened several times, and not contacted while the workspace is signed out', async ({
    world,
  }) => {
    await world.broker.appLoaded('notes')
    expect(world.app('notes').asked).toEqual([])
    world.app('notes').rule(LOGIN, () => ({ status: 503 }))
    await world.signIn()
    world.app('notes').rule(LOGIN, undefined)
    const before = world.app('notes').count(LOGIN)
    await Promise.all([
      world.broker.appLoaded('notes'),
      world.broker.appLoaded('notes'),
      world.broker.appLoaded('notes'),
    ])
    expect(world.app('notes').count(LOGIN)).toBe(before + 1)
    expect(await world.status()).toMatchObject({ state: 'signed-in' })
    await world.broker.appLoaded('notes')
    await world.broker.appLoaded('unheard-of')
    expect(world.app('notes').count(LOGIN)).toBe(before + 1)
  })

  test('is signed in to when it was registered after the sign-in', async ({ world }) => {
    const late = await world.addApp('late')
    world.retellApps(app => (app.appId === 'late' ? undefined : app))
    await world.restart()
    await world.signIn()
    expect(await world.appLines()).toContain('late: not-eligible not-registered')
    world.retellApps(app => app)
    await Promise.all([world.broker.appLoaded('late'), world.broker.appLoaded('late')])
    expect(await world.appLines()).toContain('late: signed-in')
    expect(late.count(LOGIN)).toBe(1)
    expect(await seenBy(world, 'late')).toBe(EMAIL)
  })
})

test.describe('signing out', () => {
  test('ends every session and removes only the sign-in cookies', async ({ world }) => {
    await world.signIn()
    const context = await world.host.context(appPartition('notes'))
    await context.addCookies([{ name: 'theme', value: 'dark', url: world.app('notes').origin }])
    expect(await world.send({ type: 'sign-out' })).toMatchObject({
      ok: true,
      status: { state: 'idle', email: null, apps: [], reason: null },
    })
    for (const server of [world.hub, ...world.apps.values()]) expect(await sessionsOf(server)).toEqual([])
    expect(await world.cookieNames(HUB_PARTITION)).toEqual(HUB_KEEPS)
    expect(await world.cookieNames(appPartition('notes'))).toEqual(['theme'])
    expect(await seenBy(world, 'notes')).toBeNull()
    const { hub } = world
    const before = hub.count(CEREMONIES)
    await world.restart()
    expect(await world.status()).toMatchObject({ state: 'idle', apps: [] })
    expect(hub.count(CEREMONIES)).toBe(before)
  })

  test('ends sessions that arrive late when it happens during sign-in', async ({ world }) => {
    const notes = world.app('notes')
    const { answer: signIn, release } = await holdNotes(world)
    const signOut = world.send({ type: 'sign-out' })
    release()
    expect(await signOut).toMatchObject({ ok: true, status: { state: 'idle', email: null } })
    expect(await signIn).toMatchObject({ ok: true, status: { state: 'idle' } })
    expect(notes.count(CALLBACK)).toBe(1)
    for (const server of [world.hub, ...world.apps.values()]) expect(await sessionsOf(server)).toEqual([])
    expect(await world.cookieNames(appPartition('notes'))).toEqual([])
    expect(await seenBy(world, 'notes')).toBeNull()

    // A cookie that arrives even later, for example from an abandoned request.
    await addSession(world, 'notes', EMAIL)
    await poll(async () => (await sessionsOf(notes)).length).toBe(0)
    await poll(() => world.cookieNames(appPartition('notes'))).toEqual([])
    expect(await world.status()).toMatchObject({ state: 'idle', email: null, apps: [], reason: null })

    // After a while, a new session there belongs to the person again.
    world.clock.pass(15_000)
    await addSession(world, 'notes', EMAIL)
    await wait(300)
    expect(await seenBy(world, 'notes')).toBe(EMAIL)
  })

  test('closes an open sign-in window and runs only once when requested twice', async ({ world }) => {
    const { answer: signIn, window } = await world.begin()
    await window.waitForURL(/ceremonies/)
    const closing = window.waitForEvent('close')
    const before = world.hub.count(END)
    const leaving = [world.send({ type: 'sign-out' }), world.send({ type: 'sign-out' })]
    expect(await world.send({ type: 'sign-in' })).toEqual({ ok: false, code: 'busy' })
    for (const answer of await Promise.all(leaving)) expect(answer).toMatchObject({ status: { state: 'idle' } })
    await closing
    expect(await signIn).toMatchObject({ ok: true, status: { state: 'idle' } })
    expect(world.hub.count(END)).toBe(before + 1)
    expect(world.hub.count(EXCHANGE)).toBe(0)
  })

  test('names the application where it failed and can be retried', async ({ world }) => {
    await world.signIn()
    const [notes, tasks] = [world.app('notes'), world.app('tasks')]
    notes.rule(END, () => ({ status: 503 }))
    expect(await world.send({ type: 'sign-out' })).toMatchObject({
      ok: true,
      status: { state: 'failed', reason: 'clean-up-failed', email: null },
    })
    expect(await world.appLines()).toEqual(['notes: failed clean-up-failed'])
    expect(await world.cookieNames(appPartition('notes'))).toEqual([])

    // A restart keeps the failure and does not sign in again.
    await world.restart()
    expect(await world.status()).toMatchObject({ state: 'failed', reason: 'clean-up-failed' })
    expect(await seenBy(world, 'notes')).toBeNull()
    notes.rule(END, undefined)
    const before = tasks.count(LOGIN)
    expect(await world.send({ type: 'retry' })).toMatchObject({ ok: true, status: { state: 'idle', apps: [] } })
    expect(tasks.count(LOGIN)).toBe(before)
    await world.restart()
    expect(await world.status()).toMatchObject({ state: 'idle', reason: null })
  })
})

test.describe('availability and opt-out', () => {
  test('an off, slow, silent or invalid hub is unavailable, and no other request is sent', async ({ world }) => {
    const { hub } = world
    await switchHub(world, false)
    await world.restart()
    expect(await world.status()).toMatchObject({ state: 'idle', isAvailable: false, isEnabled: true })
    await switchHub(world, true)
    for (const rule of [
      () => ({ html: '<h1>Hello</h1>' }),
      () => ({ json: { available: 'yes', client: null } }),
      () => ({ status: 500 }),
      () => ({ location: '/elsewhere' }),
    ]) {
      hub.rule(AVAILABILITY, rule)
      await world.restart()
      expect(await world.status()).toMatchObject({ isAvailable: false })
      expect(await world.send({ type: 'sign-in' })).toEqual({ ok: false, code: 'switched-off' })
    }
    hub.rule(AVAILABILITY, silence)
    const before = hub.count(AVAILABILITY)
    const starting = world.restart()
    await poll(() => hub.count(AVAILABILITY)).toBe(before + 1)
    world.clock.pass(5000)
    await starting
    expect(await world.status()).toMatchObject({ isAvailable: false })
    expect(new Set(hub.asked)).toEqual(new Set([AVAILABILITY]))
    for (const app of world.apps.values()) expect(app.asked).toEqual([])
  })

  test('an opt-out is stored, and no requests are sent until the person opts in again', async ({ world }) => {
    await world.signIn()
    expect(await world.send({ type: 'set-enabled', isEnabled: false })).toMatchObject({
      ok: true,
      status: { isEnabled: false, isAvailable: false, state: 'idle', email: null, apps: [] },
    })
    expect(await seenBy(world, 'notes')).toBe(EMAIL)
    const servers = [world.hub, ...world.apps.values()]
    const before = servers.map(({ asked }) => asked.length)
    await world.restart()
    for (const type of ['sign-in', 'retry', 'sign-out', 'get-status']) await world.send({ type })
    expect(await world.send({ type: 'sign-in' })).toEqual({ ok: false, code: 'switched-off' })
    await world.broker.appLoaded('notes')
    world.clock.pass(600_000)
    await wait(200)
    expect(servers.map(({ asked }) => asked.length)).toEqual(before)
    expect(await world.send({ type: 'set-enabled', isEnabled: true })).toMatchObject({
      status: { isEnabled: true, isAvailable: true, state: 'signed-in', email: EMAIL },
    })
  })

  test('opting out during sign-in ends sessions that arrive late', async ({ world }) => {
    const notes = world.app('notes')
    const { answer: signIn, release } = await holdNotes(world)
    await world.send({ type: 'set-enabled', isEnabled: false })
    release()
    await signIn
    expect(await sessionsOf(notes)).toEqual([])
    expect(await world.cookieNames(appPartition('notes'))).toEqual([])
    expect(await world.status()).toMatchObject({ state: 'idle', isEnabled: false })
  })
})

test.describe('periodic check and restart', () => {
  const fiveMinutes = async (world: DesktopWorld) => {
    const before = world.hub.count(AVAILABILITY)
    world.clock.pass(300_000)
    await poll(() => world.hub.count(AVAILABILITY)).toBeGreaterThan(before)
    // The check has ended once the clock is set for the next one.
    await poll(() => world.clock.isSetFor(300_000)).toBe(true)
  }

  test('a restart keeps the workspace, and a missing hub session requires a new sign-in only at the hub', async ({
    world,
  }) => {
    await world.signIn()
    await world.restart()
    expect(await world.status()).toMatchObject({ state: 'signed-in', email: EMAIL })
    await fiveMinutes(world)
    expect(await world.status()).toMatchObject({ state: 'signed-in' })
    expect([world.hub.count(CEREMONIES), world.app('notes').count(LOGIN)]).toEqual([1, 1])
    await endSessions(world.hub)
    await fiveMinutes(world)
    expect(await world.status()).toMatchObject({ state: 'sign-in-required', email: null })
    await world.restart()
    expect(await world.status()).toMatchObject({ state: 'sign-in-required', email: null })
    expect(await seenBy(world, 'notes')).toBe(EMAIL)
    expect(await world.signIn()).toMatchObject({ status: { state: 'signed-in' } })
  })

  test('a hub that does not answer changes only the availability', async ({ world }) => {
    await world.signIn()
    world.hub.rule(SESSION, () => ({ status: 502 }))
    await fiveMinutes(world)
    expect(await world.status()).toMatchObject({ state: 'signed-in', email: EMAIL, isAvailable: true })
    world.hub.rule(SESSION, undefined)
    await switchHub(world, false)
    await fiveMinutes(world)
    expect(await world.status()).toMatchObject({ state: 'signed-in', email: EMAIL, isAvailable: false })
    expect(await seenBy(world, 'notes')).toBe(EMAIL)
    expect(await world.send({ type: 'sign-out' })).toMatchObject({ ok: true, status: { state: 'idle' } })
    expect(await seenBy(world, 'notes')).toBeNull()
  })
})

test.describe('page bridge', () => {
  const bridged = async (world: DesktopWorld) => {
    const context = await world.host.context(appPartition('notes'))
    const detach = await attach(context, world.broker)
    const page = await context.newPage()
    // A page of the application that does not redirect.
    await page.goto(`${world.app('notes').origin}/sign-in`)
    return { page, detach }
  }
  const send = (page: Page, message: unknown): Promise<unknown> =>
    page.evaluate(sent => Reflect.get(window, 'fairwayDesktop')?.send(sent) ?? 'no bridge', message)

  test('passes commands, answers and status changes', async ({ world }) => {
    const { page, detach } = await bridged(world)
    await page.evaluate(() => {
      const seen: string[] = []
      Object.assign(window, { seen })
      Reflect.get(window, 'fairwayDesktop').onStatus((status: { state: string }) => seen.push(status.state))
    })
    const opening = world.nextWindow()
    const answer = send(page, { type: 'sign-in' })
    await confirm(await opening)
    expect(desktopAnswerSchema.parse(await answer)).toMatchObject({ ok: true, status: { state: 'signed-in' } })
    await poll(() => page.evaluate(() => Reflect.get(window, 'seen').at(-1))).toBe('signed-in')
    expect(await send(page, { type: 'get-cookies' })).toEqual({ ok: false, code: 'unknown-command' })
    expect(await page.evaluate(() => Object.keys(Reflect.get(window, 'fairwayDesktop')))).toEqual(['send', 'onStatus'])
    detach()
  })

  test('ignores frames and origins that are not applications of the shell', async ({ world }) => {
    const stranger = await world.addApp('stranger', { isAsked: false })
    stranger.rule('GET /', () => ({ html: '<h1>Stranger</h1>' }))
    const { page, detach } = await bridged(world)
    world.app('notes').rule('GET /framing', () => ({ html: '<iframe src="/framed"></iframe>' }))
    world.app('notes').rule('GET /framed', () => ({ html: '<h1>Framed</h1>' }))
    await page.goto(`${world.app('notes').origin}/framing`)
    const frame = page.frames()[1]
    const binding = (sent: unknown) => Reflect.get(window, '__fairwayDesktopSend')(sent)
    expect(await frame?.evaluate(() => Reflect.has(window, 'fairwayDesktop'))).toBe(false)
    expect(await frame?.evaluate(binding, { type: 'get-status' })).toEqual({ ok: false, code: 'unknown-command' })
    await page.goto(stranger.origin)
    expect(await send(page, { type: 'get-status' })).toEqual({ ok: false, code: 'unknown-command' })
    expect(await send(page, { type: 'sign-in' })).toEqual({ ok: false, code: 'unknown-command' })
    expect(world.hub.count(CEREMONIES)).toBe(0)
    detach()
  })
})

test('no message contains a cookie, code, verifier, nonce, state or assertion', async ({ world }) => {
  test.setTimeout(180_000)
  const faults = ['none', 'slow', 'refused', 'other-account', 'redirected', 'chatty'] as const
  const step = fc.oneof(
    fc.constantFrom('sign-in', 'retry', 'sign-out', 'get-status', 'session-gone', 'five-minutes', 'restart'),
    fc.record({ app: fc.constantFrom('notes', 'tasks'), fault: fc.constantFrom(...faults) }),
  )
  // Every kind of secret occurs at least once, whichever steps are drawn.
  await world.signIn()
  await world.send({ type: 'sign-out' })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 8 }), async steps => {
      for (const one of steps) await takeStep(world, one)
      expect(leaksOf(world)).toEqual([])
    }),
    { numRuns: 12 },
  )
  await world.send({ type: 'sign-out' })
  expect(leaksOf(world)).toEqual([])
  const kinds = new Set(world.secrets.values())
  for (const kind of ['code', 'state', 'nonce', 'assertion', 'cookie that was set', 'verifier of an application']) {
    expect(kinds).toContain(kind)
  }
  expect(kinds).toContain('verifier of the desktop application')
  // Nor do the logs of the servers contain a cookie or a JWT.
  const logs = [world.hub, ...world.apps.values()].map(({ behind }) => behind?.log()).join('\n')
  expect(logs).not.toMatch(/eyJ[\w-]+\./)
  const values = [...world.secrets].filter(([value, kind]) => kind.startsWith('cookie') && value.length >= 8)
  expect(values.filter(([value]) => logs.includes(value))).toEqual([])
  // Proves that the searches have something to find.
  expect(logs).toContain('default organization created')
  const [secret = ''] = [...world.secrets.keys()].filter(({ length }) => length > 20)
  expect(leaksOf({ ...world, messages: [JSON.stringify({ id: `x${secret}` })] })).toHaveLength(1)
})

async function takeStep(world: DesktopWorld, step: string | { app: string; fault: string }): Promise<void> {
  if (typeof step !== 'string') return setFault(world, step)
  if (step === 'session-gone') return endSessions(world.hub)
  if (step === 'five-minutes') return world.clock.pass(300_000)
  if (step === 'restart') return void (await world.restart())
  await (step === 'sign-in' ? world.signIn() : world.send({ type: step }))
}

function setFault(world: DesktopWorld, { app, fault }: { app: string; fault: string }): void {
  const server = world.app(app)
  server.rule(LOGIN, fault === 'redirected' ? () => ({ location: `${world.hub.origin}/?code=x` }) : undefined)
  server.rule(CALLBACK, async (asked, next) => {
    if (fault === 'slow') await wait(300)
    if (fault === 'refused') return { status: 400 }
    if (fault === 'other-account') return { location: '/', cookies: [await startSession(server, 'eve@example.com')] }
    const answer = await next()
    // An application that repeats its whole request.
    return fault === 'chatty' ? { ...answer, status: 500, html: `${asked.url} ${[...asked.cookies]}` } : answer
  })
}

/** Stores the cookie of a new session of this person in the application's partition. */
async function addSession({ app, host }: DesktopWorld, id: string, email: string): Promise<void> {
  const server = app(id)
  const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(await startSession(server, email)) ?? []
  await (await host.context(appPartition(id))).addCookies([{ name, value, url: server.origin, httpOnly: true }])
}

/** Confirms a sign-in, and holds back the session of notes until `release` is called. */
async function holdNotes(world: DesktopWorld) {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  world.app('notes').rule(CALLBACK, async (_asked, next) => {
    await promise
    return next()
  })
  const { answer, window } = await world.begin()
  await confirm(window)
  await poll(() => world.app('notes').count(CALLBACK)).toBe(1)
  return { answer, release }
}
