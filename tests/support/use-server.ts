import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { borrowServer, type ServerInput, type TestServer } from './server'

type Hook = (work: () => Promise<unknown>) => void

/** Returns an object at once, whose properties exist once the first hook or test runs. */
const filledBy =
  (before: Hook, after: Hook) =>
  <Opened extends object>(open: () => Promise<Opened>, close: (opened: Opened) => Promise<unknown>): Opened => {
    const opened = {} as Opened
    before(async () => void Object.assign(opened, await open()))
    after(() => close(opened))
    return opened
  }

/** Opens something for all tests of this file or group. */
export const shared = filledBy(beforeAll, afterAll)

/** Opens something new for each test. */
export const renewed = filledBy(beforeEach, afterEach)

/** Borrows a server for the tests of this file or group. */
export const useServer = (input: ServerInput = {}): TestServer =>
  shared(
    () => borrowServer(input),
    server => server.stop(),
  )
