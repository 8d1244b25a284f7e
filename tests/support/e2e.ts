import { type CDPSession, test as base, type WorkerFixture } from '@playwright/test'
import { borrowServer, type ServerInput, type TestServer } from './server'

interface Fixtures {
  /** Additional environment variables of the server; `test.use({ serverEnv: … })`. */
  serverEnv: Record<string, string>
  /** The application to serve; `test.use({ application: 'author' })`. */
  application: NonNullable<ServerInput['application']>
  /** A server with an empty database, reserved for this test. */
  server: TestServer
  origin: string
}

/** Playwright's `test` with a separate built server per test. */
export const test = base.extend<Fixtures>({
  serverEnv: [{}, { option: true }],
  application: ['sample', { option: true }],
  // The first test that uses an author's application waits for its build.
  server: [
    async ({ serverEnv, application }, use) => {
      const server = await borrowServer({ application, env: serverEnv })
      await use(server)
      await server.stop()
    },
    { timeout: 600_000 },
  ],
  origin: async ({ server }, use) => use(server.origin),
  baseURL: async ({ server }, use) => use(server.origin),
  // All tests of a worker share a window (`reuseContext` in playwright.config.ts); Playwright cleans it before the next test. Here
  // it leaves the page while the test's server is still its own, and gives back what Playwright's cleaning leaves as it was.
  context: async ({ context }, use) => {
    // A session of the protocol holds what it was told, an authenticator for example, until it ends.
    const sessions: CDPSession[] = []
    const open = context.newCDPSession.bind(context)
    context.newCDPSession = async place => {
      const session = await open(place)
      sessions.push(session)
      return session
    }
    await use(context)
    await Promise.all(sessions.map(each => each.detach().catch(() => undefined)))
    const [first, ...others] = context.pages()
    await Promise.all(others.map(each => each.close()))
    await context.unrouteAll({ behavior: 'ignoreErrors' })
    await context.setOffline(false)
    await context.clearPermissions()
    await first?.goto('about:blank').catch(() => first.close())
  },
})

/** A fixture shared by all tests of a file: starts before the first test that uses it and stops after all tests. */
export const oncePerFile = <Peer extends { stop(): Promise<unknown> }>(
  start: () => Promise<Peer>,
): [WorkerFixture<Peer, object>, { scope: 'worker' }] => [
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of the fixtures from the pattern
  async ({}, use) => {
    const peer = await start()
    await use(peer)
    await peer.stop()
  },
  { scope: 'worker' },
]

export { expect } from '@playwright/test'
