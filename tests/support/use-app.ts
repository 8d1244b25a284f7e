import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { createTestApp, type TestApp } from './app'
import { openEmptyDatabase, type TestDatabase } from './database'

/** An app context for each test. Its properties exist once the first hook or test runs. */
export function useTestApp(...input: Parameters<typeof createTestApp>): TestApp {
  const test = {} as TestApp
  beforeEach(async () => void Object.assign(test, await createTestApp(...input)))
  afterEach(() => test.close())
  return test
}

/** One app context for all tests of this file or group. */
export function shareTestApp(...input: Parameters<typeof createTestApp>): TestApp {
  const test = {} as TestApp
  beforeAll(async () => void Object.assign(test, await createTestApp(...input)))
  afterAll(() => test.close())
  return test
}

/** A database without tables for each test. */
export function useEmptyDatabase(...input: Parameters<typeof openEmptyDatabase>): TestDatabase {
  const db = {} as TestDatabase
  beforeEach(async () => void Object.assign(db, await openEmptyDatabase(...input)))
  afterEach(() => db.close())
  return db
}
