import { afterAll, beforeAll } from 'vitest'
import { borrowServer, type ServerInput, type TestServer } from './server'

/** Borrows a server for the tests of this file or group. Its properties exist once the first hook or test runs. */
export function useServer(input: ServerInput = {}): TestServer {
  const server = {} as TestServer
  beforeAll(async () => void Object.assign(server, await borrowServer(input)))
  afterAll(() => server.stop())
  return server
}
