import { test as base } from '@playwright/test'
import { borrowServer, type TestServer } from './server'

interface Fixtures {
  /** Extra environment of the server; `test.use({ serverEnv: … })`. */
  serverEnv: Record<string, string>
  /** A server with an empty database, which nobody else uses meanwhile. */
  server: TestServer
  origin: string
}

/** Playwright's test with a built server of its own. */
export const test = base.extend<Fixtures>({
  serverEnv: [{}, { option: true }],
  server: async ({ serverEnv }, use) => {
    const server = await borrowServer({ env: serverEnv })
    await use(server)
    await server.stop()
  },
  origin: async ({ server }, use) => use(server.origin),
  baseURL: async ({ server }, use) => use(server.origin),
})

export { expect } from '@playwright/test'
