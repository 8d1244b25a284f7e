import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from '@playwright/test'
import { sessionCookie } from '#fairway/server/domains/people/session-cookie'
import { createKeyRing } from '#fairway/server/kernel/crypto/seal'
import {
  appPartition,
  createBroker,
  HUB_PARTITION,
  type DesktopAnswer,
  type DesktopApp,
  type DesktopHost,
  type DesktopStatus,
} from '../../src'
import type { HubApp } from '../../src/eligibility'
import { createChromiumHost } from '../../src/program/chromium-host'
import { readyHub, setFlag } from './hub'
import { type DisturbedServer, type Secrets, startDisturbedServer } from './disturbed-server'
import { query } from '../../../../tests/support/query'
import { aPerson } from '../../../../tests/support/people'
import { borrowServer, freePort, type TestServer } from '../../../../tests/support/server'
import { WORKSPACE_SECRET } from '../../../../tests/support/workspace'

const ada = aPerson()
export const EMAIL = ada.email
export const EXCHANGE = 'POST /_fw/desktop/ceremonies/{id}/exchange'

/** The applications that are registered at the hub. */
const REGISTERED = 'notes tasks a b c d e canonical late other-hub no-secret not-opted-in in-development'.split(' ')
/** Each application has its own loopback host. */
const NAMES = ['hub', ...REGISTERED, 'unregistered', 'stranger']

/** One port for all hosts. The same port in every test means the same servers, so they start only once. */
const held: { port?: Promise<number> } = {}

/** An application's address: `public` is the one that clients use; the server itself listens behind it. */
const originOf = (name: string, port: number, side: 'public' | 'behind' = 'public'): string =>
  `http://127.${side === 'public' ? 0 : 1}.0.${NAMES.indexOf(name) + 2}:${port}`

function borrow(name: string, port: number): Promise<TestServer> {
  const host = new URL(originOf(name, port, 'behind')).hostname
  const registry = REGISTERED.map(id => ({
    appId: id,
    clientId: `${id}-client`,
    origin: originOf(id, port),
    callbackPath: '/_fw/identity/callback',
    capabilities: ['identity-sso'],
  }))
  const hubUrl = name === 'other-hub' ? 'https://other.example.com' : originOf('hub', port)
  const env = {
    HOST: host,
    PORT: String(port),
    FW_BASE_URL: originOf(name, port),
    FW_APP_ID: name,
    ...(name === 'no-secret' ? {} : { A2A_SECRET: WORKSPACE_SECRET }),
    ...(name === 'hub'
      ? { IDENTITY_SSO_APP_REGISTRY_JSON: JSON.stringify(registry) }
      : { FW_IDENTITY_HUB_URL: hubUrl, FW_SSO_CLIENT_ID: `${name}-client` }),
  }
  return borrowServer({ host, env })
}

/** A real server with its public side. */
interface WorldServer extends DisturbedServer {
  /** Undefined for an application that must receive no requests. */
  behind?: TestServer
}

async function startWorldServer(name: string, secrets: Secrets, isAsked = true): Promise<WorldServer> {
  const port = await (held.port ??= freePort())
  const behind = isAsked ? await borrow(name, port) : undefined
  const side = await startDisturbedServer({ origin: originOf(name, port), target: behind?.origin, secrets })
  const stop = async () => {
    await side.stop()
    await behind?.stop()
  }
  return { ...side, behind, stop }
}

const rowsOf = async ({ behind }: WorldServer, sql: string, args: (string | number)[] = []) =>
  behind ? query(behind, sql, args) : []

/** The email address of each session of a server. */
export const sessionsOf = async (server: WorldServer): Promise<string[]> =>
  (await rowsOf(server, 'select email from sessions join users on users.id = user_id')).map(({ email }) =>
    String(email),
  )

/** Deletes all sessions from a server's database, which notifies no application. */
export const endSessions = async (server: WorldServer): Promise<void> =>
  void (await rowsOf(server, 'delete from sessions'))

/** Starts a session for a person with a confirmed address; returns the `Set-Cookie` value. */
export async function startSession(server: WorldServer, email: string): Promise<string> {
  const [id, token, now] = [randomUUID(), randomUUID(), Date.now()]
  await rowsOf(
    server,
    `insert into users (id, name, email, email_verified, kind, created_at, updated_at)
      values (?, 'Somebody', ?, 1, 'person', ?, ?) on conflict do nothing`,
    [id, email, now, now],
  )
  await rowsOf(
    server,
    `insert into sessions (id, user_id, token, expires_at, provider, created_at, updated_at)
      select ?, id, ?, ?, 'password', ?, ? from users where email = ?`,
    [id, token, now + 3_600_000, now, now, email],
  )
  return sessionCookie(token, { isHttps: false, keys: createKeyRing([server.behind?.secret ?? '']) })
}

/** Turns workspace sign-in for desktop applications on or off at the hub. */
export const switchHub = async ({ hub }: { hub: WorldServer }, isOn: boolean): Promise<void> => {
  if (hub.behind) await setFlag(hub.behind, isOn)
}

/**
 * The desktop program's host on contexts of one running browser, one for each partition. Tests do not wait for a browser to start
 * then.
 */
function createTestHost(browser: Browser, preferencesFile: string) {
  const userAgent = `Mozilla/5.0 (X11; Linux x86_64) Chrome/${browser.version()} Fairway-Desktop/1.2.3`
  const contexts = new Map<string, Promise<BrowserContext>>()
  const context = (partition: string): Promise<BrowserContext> => {
    const known = contexts.get(partition) ?? browser.newContext({ userAgent })
    contexts.set(partition, known)
    return known
  }
  const close = () => Promise.all([...contexts.values()].map(async opened => (await opened).close()))
  return { ...createChromiumHost({ context, preferencesFile }), context, close }
}

/** Timers that run in real time and can also be made to run at once. */
function createClock() {
  const held = { ahead: 0 }
  const timers = new Set<{ milliseconds: number; due: number; work: () => void }>()
  const now = () => Date.now() + held.ahead
  return {
    now,
    /** Whether a timer with this duration is set. */
    isSetFor: (milliseconds: number) => [...timers].some(timer => timer.milliseconds === milliseconds),
    after(milliseconds: number, work: () => void) {
      const timer = { milliseconds, due: now() + milliseconds, work: () => timers.delete(timer) && work() }
      timers.add(timer)
      const real = setTimeout(timer.work, milliseconds)
      return () => {
        clearTimeout(real)
        timers.delete(timer)
      }
    },
    /** Moves the clock forward by this time and runs the timers that are due. */
    pass(milliseconds: number) {
      held.ahead += milliseconds
      for (const timer of timers) if (timer.due <= now()) timer.work()
    },
  }
}

export type DesktopWorld = Awaited<ReturnType<typeof createDesktopWorld>>

/**
 * A real hub, these real applications, a shell of Chromium contexts and its broker. The hub offers desktop sign-in, there are no
 * sessions, and every message is recorded.
 */
export async function createDesktopWorld(browser: Browser, ids: string[] = ['notes', 'tasks']) {
  const secrets: Secrets = new Map()
  const [messages, statuses]: [string[], DesktopStatus[]] = [[], []]
  const clock = createClock()
  const preferencesFile = join(mkdtempSync(join(tmpdir(), 'fw-desktop-')), 'preferences.json')
  const host = createTestHost(browser, preferencesFile)
  const timedHost: DesktopHost = { ...host, now: clock.now, after: clock.after }
  const apps = new Map<string, WorldServer>()
  const configs: DesktopApp[] = []
  const starting = ids.map(id => startWorldServer(id, secrets))
  const hub = await startWorldServer('hub', secrets)
  if (hub.behind) await readyHub(hub.behind, ada, hub.origin)
  const add = (id: string, server: WorldServer, config: Partial<DesktopApp> = {}) => {
    const { origin } = server
    apps.set(id, server)
    configs.push({ id, name: id, origin, mode: 'production', isEnabled: true, workspaceSso: true, ...config })
    return server
  }
  for (const [index, server] of (await Promise.all(starting)).entries()) add(ids[index] ?? '', server)
  const open = () => {
    const made = createBroker({ host: timedHost, hub: hub.origin, apps: configs, allowLoopback: true })
    made.onStatus(status => {
      statuses.push(status)
      messages.push(JSON.stringify(status))
    })
    return made
  }
  const world = {
    secrets,
    hub,
    apps,
    host,
    clock,
    statuses,
    /** Every message between pages and broker, as JSON. */
    messages,
    broker: open(),
    app: (id: string): WorldServer => apps.get(id) ?? raise(id),
    /** Adds an application to the shell, which sees it after its next restart. Without `isAsked`, it has no server. */
    addApp: async (id: string, { config, isAsked }: { config?: Partial<DesktopApp>; isAsked?: boolean } = {}) =>
      add(id, await startWorldServer(id, secrets, isAsked), config),
    /** Changes the hub's list of applications from now on: a running hub does not change its configured list. */
    retellApps(change: (app: HubApp) => HubApp | undefined) {
      for (const what of [EXCHANGE, 'GET /_fw/desktop/apps']) {
        hub.rule(what, async (_asked, next) => {
          const answer = await next()
          if (answer.status !== 200) return answer
          const { email, apps: told } = JSON.parse(String(answer.body)) as { email: string; apps: HubApp[] }
          return { ...answer, json: { email, apps: told.map(change).filter(app => app !== undefined) } }
        })
      }
    },
    /** Starts a new broker on the same host, as after a restart. */
    async restart() {
      world.broker.stop()
      world.broker = open()
      await world.broker.start()
    },
    async send(message: unknown): Promise<DesktopAnswer> {
      messages.push(JSON.stringify(message) ?? '')
      const answer = await world.broker.handle(message)
      messages.push(JSON.stringify(answer))
      return answer
    },
    /** The window of the next ceremony. */
    nextWindow: async () => (await host.context(HUB_PARTITION)).waitForEvent('page'),
    /** Sends the command `sign-in`; returns its window, and its later answer. */
    async begin() {
      const opening = world.nextWindow()
      const answer = world.send({ type: 'sign-in' })
      return { answer, window: await opening }
    },
    /** Sends the command `sign-in` and confirms if a window opens. */
    async signIn() {
      const opening = world.nextWindow().catch(() => null)
      const answer = world.send({ type: 'sign-in' })
      // Only the hub decides whether a window opens: wait for the window or for an answer without one.
      const window = await Promise.race([opening, answer.then(() => null)])
      if (window) await confirm(window)
      return answer
    },
    async status(): Promise<DesktopStatus> {
      const answer = await world.send({ type: 'get-status' })
      return answer.ok ? answer.status : raise('no status')
    },
    /** Each application's status and reason, for example `notes: failed other-account`. */
    appLines: async () =>
      (await world.status()).apps.map(({ id, status, reason }) => `${id}: ${status}${reason ? ` ${reason}` : ''}`),
    cookieNames: async (partition: string) =>
      (await (await host.context(partition)).cookies()).map(({ name }) => name).sort(),
    async stop() {
      world.broker.stop()
      await host.close()
      await Promise.all([hub, ...apps.values()].map(server => server.stop()))
    },
  }
  await world.restart()
  return world
}

const raise = (what: string): never => {
  throw new Error(what)
}

/** Completes a ceremony's window as a person does: signs in at the hub and confirms. */
export async function confirm(window: Page): Promise<void> {
  const form = window.locator('#sign-in')
  const proceed = window.getByRole('button', { name: 'Continue', exact: true })
  await form.or(proceed).first().waitFor()
  if (await form.isVisible()) {
    await form.locator('input[type=email]').fill(ada.email)
    await form.locator('input[type=password]').fill(ada.password)
    // The button has an extra label in a browser that has signed in this way before.
    await form.getByRole('button', { name: /^Sign in( used last)?$/ }).click()
  }
  await proceed.click()
}

/** Returns the email address of the signed-in user in this application's partition of the shell, or null. */
export async function seenBy({ host, app }: DesktopWorld, id: string): Promise<string | null> {
  const page = await (await host.context(appPartition(id))).newPage()
  await page.goto(`${app(id).origin}/_fw/session`)
  const email = await page.evaluate(() => JSON.parse(document.body.innerText).session?.email ?? null)
  await page.close()
  return email
}

/** The run's secrets that appear in a message, each with its description. Tests expect an empty list. */
export const leaksOf = ({ secrets, messages }: DesktopWorld): string[] =>
  [...secrets]
    .filter(([secret]) => secret.length >= 8)
    .flatMap(([secret, what]) =>
      messages.filter(message => message.includes(secret)).map(message => `${what} in ${message}`),
    )
