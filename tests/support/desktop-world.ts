import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from '@playwright/test'
import {
  appPartition,
  createBroker,
  HUB_PARTITION,
  type Broker,
  type DesktopAnswer,
  type DesktopApp,
  type DesktopHost,
  type DesktopStatus,
} from '../../desktop'
import { type ChromiumHost, createChromiumHost } from '../../desktop/reference-host/chromium-host'
import { callbackOf, startApp, startHub, type DesktopServer, type HubServer, type Secrets } from './desktop-servers'

export const EMAIL = 'ada@example.com'

/** Timers that run by themselves, and can be made to run at once. */
function createClock() {
  const held = { ahead: 0 }
  const timers = new Set<{ due: number; work: () => void }>()
  const now = () => Date.now() + held.ahead
  return {
    now,
    after(milliseconds: number, work: () => void) {
      const timer = { due: now() + milliseconds, work: () => timers.delete(timer) && work() }
      timers.add(timer)
      const real = setTimeout(timer.work, milliseconds)
      return () => {
        clearTimeout(real)
        timers.delete(timer)
      }
    },
    /** Lets so much time pass at once. */
    pass(milliseconds: number) {
      held.ahead += milliseconds
      for (const timer of timers) if (timer.due <= now()) timer.work()
    },
  }
}

/** A hub, applications, a shell of Chromium contexts and its broker; every message is kept. */
export interface DesktopWorld {
  secrets: Secrets
  hub: HubServer
  apps: Map<string, DesktopServer>
  host: ChromiumHost
  broker: Broker
  /** Everything that crossed between pages and broker, as JSON. */
  messages: string[]
  statuses: DesktopStatus[]
  configs: DesktopApp[]
  preferencesFile: string
  /** What the broker asked the host for, with the user agent left to the host. */
  clock: ReturnType<typeof createClock>
  app(id: string): DesktopServer
  /** Another application, on a host of its own. */
  addApp(id: string, change?: AppChange): Promise<DesktopServer>
  /** A new broker over the same host, as after a restart; without more, of the same configuration. */
  restart(): Promise<Broker>
  send(message: unknown): Promise<DesktopAnswer>
  /** The window of the next ceremony. */
  nextWindow(): Promise<Page>
  /** Does the command `sign-in` and confirms as this person, when a window asks. */
  signIn(email?: string): Promise<DesktopAnswer>
  status(): Promise<DesktopStatus>
  /** Each application's status and reason, for example `notes: failed other-account`. */
  appLines(): Promise<string[]>
  cookieNames(partition: string): Promise<string[]>
  stop(): Promise<void>
}

export interface AppChange {
  config?: Partial<DesktopApp>
  /** False for one that the hub does not know. */
  isRegistered?: boolean
  isCanonical?: boolean
}

export async function createDesktopWorld(browser: Browser, ids: string[] = ['notes', 'tasks']): Promise<DesktopWorld> {
  const secrets: Secrets = new Map()
  const hub = await startHub(secrets)
  const preferencesFile = join(mkdtempSync(join(tmpdir(), 'fw-desktop-')), 'preferences.json')
  const host = createChromiumHost({ browser, preferencesFile, version: '1.2.3' })
  const clock = createClock()
  const { messages, statuses }: Pick<DesktopWorld, 'messages' | 'statuses'> = { messages: [], statuses: [] }
  const apps = new Map<string, DesktopServer>()
  const configs: DesktopApp[] = []
  const timedHost: DesktopHost = { ...host, now: clock.now, after: clock.after }
  const open = () => {
    const made = createBroker({ host: timedHost, hub: hub.origin, apps: configs, allowLoopback: true })
    made.onStatus(status => {
      statuses.push(status)
      messages.push(JSON.stringify(status))
    })
    return made
  }
  const world: DesktopWorld = {
    secrets,
    hub,
    apps,
    host,
    broker: undefined as unknown as Broker,
    messages,
    statuses,
    configs,
    preferencesFile,
    clock,
    app: id => apps.get(id) ?? raise(id),
    async addApp(id, { config, isRegistered = true, isCanonical = false } = {}) {
      const server = await startApp({ host: `127.0.0.${apps.size + 2}`, id, hub }, secrets)
      const { origin } = server
      apps.set(id, server)
      const basic: DesktopApp = { id, name: id, origin, mode: 'production', isEnabled: true }
      configs.push({ ...basic, ...(isCanonical ? {} : { workspaceSso: true }), ...config })
      const entry = { appId: id, clientId: id, origin, callbackUrl: callbackOf(server), isCanonical }
      if (isRegistered) hub.apps.push(entry)
      return server
    },
    async restart() {
      ;(world.broker as Broker | undefined)?.stop()
      world.broker = open()
      await world.broker.start()
      return world.broker
    },
    async send(message) {
      messages.push(JSON.stringify(message) ?? '')
      const answer = await world.broker.handle(message)
      messages.push(JSON.stringify(answer))
      return answer
    },
    nextWindow: async () => (await host.context(HUB_PARTITION)).waitForEvent('page'),
    async signIn(email = EMAIL) {
      const opening = world.nextWindow().catch(() => null)
      const answer = world.send({ type: 'sign-in' })
      // Whether the hub has to ask is known only when it does, or when there is an answer without.
      const window = await Promise.race([opening, answer.then(() => null)])
      if (window) await confirm(window, email)
      return answer
    },
    async status() {
      const answer = await world.send({ type: 'get-status' })
      return answer.ok ? answer.status : raise('no status')
    },
    appLines: async () =>
      (await world.status()).apps.map(({ id, status, reason }) => `${id}: ${status}${reason ? ` ${reason}` : ''}`),
    cookieNames: async partition => (await (await host.context(partition)).cookies()).map(({ name }) => name).sort(),
    async stop() {
      world.broker.stop()
      await host.close()
      await Promise.all([hub, ...apps.values()].map(server => server.stop()))
    },
  }
  for (const id of ids) await world.addApp(id)
  await world.restart()
  return world
}

const raise = (what: string): never => {
  throw new Error(what)
}

/** What a person does in the window of a ceremony. */
export async function confirm(window: Page, email = EMAIL): Promise<void> {
  await window.getByLabel('E-mail').fill(email)
  await window.getByRole('button', { name: 'Continue' }).click()
}

/** The address of whoever a page of this application finds signed in, in the partition of the shell. */
export async function seenBy({ host, app }: DesktopWorld, id: string): Promise<string | null> {
  const page = await (await host.context(appPartition(id))).newPage()
  await page.goto(app(id).origin)
  const email = await page.evaluate(async () => (await (await fetch('/_fw/session')).json()).session?.email ?? null)
  await page.close()
  return email
}

/** The secrets of the run that a message holds, each with what it is; none is what is wanted. */
export const leaksOf = ({ secrets, messages }: DesktopWorld): string[] =>
  [...secrets]
    .filter(([secret]) => secret.length >= 8)
    .flatMap(([secret, what]) =>
      messages.filter(message => message.includes(secret)).map(message => `${what} in ${message}`),
    )
