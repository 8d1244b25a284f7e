/// <reference path="./virtual.d.ts" />
/** `nuxt-fairway/vitest`, in tests and in vitest.config.ts. */
export { aliases, fairway, type FairwayOptions } from './plugin'
export { testApp, type TestApp, type TestAppOptions } from './test-app'
export type { RequestOptions } from './callers'
export type { Caller } from './callers'
export type { ListPage, ListQuery } from './callers'
export type { TestClock } from './clock'
export type { TestMail } from './mails'
export type { PersonInput, TestPerson } from './people'
export type { PolicyExpectation, PolicyMatrix } from './policy'
