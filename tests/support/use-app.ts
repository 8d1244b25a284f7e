import { createTestApp, type TestApp } from './app'
import { openEmptyDatabase, type TestDatabase } from './database'
import { renewed, shared } from './use-server'

type AppInput = Parameters<typeof createTestApp>

/** An app context for each test. */
export const useTestApp = (...input: AppInput): TestApp =>
  renewed(
    () => createTestApp(...input),
    test => test.close(),
  )

/** One app context for all tests of this file or group. */
export const shareTestApp = (...input: AppInput): TestApp =>
  shared(
    () => createTestApp(...input),
    test => test.close(),
  )

/** A database without tables for each test. */
export const useEmptyDatabase = (...input: Parameters<typeof openEmptyDatabase>): TestDatabase =>
  renewed(
    () => openEmptyDatabase(...input),
    db => db.close(),
  )
