import { setTimeout as sleep } from 'node:timers/promises'
import type { H3Event } from 'h3'
import { getApp } from '#fairway/server/kernel/app-context'
import { type LocalMigrationPeople, withMove } from './define-local-migration'
import { releaseHook } from './hook-claim'

/** `none`: the application has none or it was called before. `failed` undoes nothing; the next move calls the hook again. */
export type HookOutcome =
  | { state: 'none' }
  | { state: 'done'; answer: unknown }
  | { state: 'failed'; status: number | null }

const HOOK_PATH = '/api/local-migration'
const LIMIT_IN_MS = 30_000

/** Calls the template's `POST /api/local-migration` in this process, as the caller of this request and for these people, and tells how it went; never throws. */
export async function callHook(event: H3Event, people: LocalMigrationPeople): Promise<HookOutcome> {
  const app = getApp(event)
  const called = withMove(people, () => event.fetch(HOOK_PATH, { method: 'POST' }))
  const response = await Promise.race([called, sleep(LIMIT_IN_MS, null, { ref: false })]).catch(() => null)
  if (response?.ok) return { state: 'done', answer: await response.json().catch(() => null) }
  const status = response?.status ?? null
  app.log.error('the local-migration hook failed', { status })
  await releaseHook(app)
  return { state: 'failed', status }
}
