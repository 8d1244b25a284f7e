import { test as base, type WorkerFixture } from '@playwright/test'
import { borrowServer, type ServerInput, type TestServer } from './server'

interface Fixtures {
  /** Extra environment of the server; `test.use({ serverEnv: … })`. */
  serverEnv: Record<string, string>
  /** Which application it serves; `test.use({ application: 'author' })`. */
  application: NonNullable<ServerInput['application']>
  /** A server with an empty database, which nobody else uses meanwhile. */
  server: TestServer
  origin: string
}

/** Playwright's test with a built server of its own. */
export const test = base.extend<Fixtures>({
  serverEnv: [{}, { option: true }],
  application: ['sample', { option: true }],
  // The first who asks for an author's application waits until it is built.
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
})

/** A fixture of something that all tests of a file share: started before the first that asks for it, stopped after the last. */
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
