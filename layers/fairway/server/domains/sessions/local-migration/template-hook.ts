import { setTimeout as sleep } from 'node:timers/promises'
import { AsyncLocalStorage } from 'node:async_hooks'
import { type H3Event, defineEventHandler, type EventHandler } from 'h3'
import { getApp } from '#fairway/server/kernel/app-context'
import type { Orm } from '#fairway/server/kernel/database/client'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { DEV_EMAIL, LEGACY_LOCAL_EMAIL } from '#fairway/server/kernel/config/config'
import type { Session } from '#fairway/shared/schemas/session'
import { type LocalMigrationPeople, releaseHook } from './move-local-data'
import { requireSession } from '../get-session'

/**
 * `none`: the application has no hook or has already called it. `failed`: moved data stays moved, and the next move calls the
 * hook again.
 */
type HookOutcome = { state: 'none' } | { state: 'done'; answer: unknown } | { state: 'failed'; status: number | null }

const HOOK_PATH = '/api/local-migration'
const LIMIT_IN_MS = 30_000

/**
 * Calls the template's `POST /api/local-migration` in this process, as the caller of this request and for these people. Returns
 * the outcome; errors of the hook become `failed`.
 */
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

/** The input of a template's hook: the people, and the database as one transaction. */
export interface LocalMigrationContext extends LocalMigrationPeople {
  db: Parameters<Parameters<Orm['transaction']>[0]>[0]
}

const moves = new AsyncLocalStorage<LocalMigrationPeople>()

/** Runs `work`, which calls the template's hook, as part of a move. */
const withMove = <T>(people: LocalMigrationPeople, work: () => T): T => moves.run(people, work)

/**
 * The handler of a template's `POST /api/local-migration`. It moves data that only the template knows, in a separate
 * transaction, and responds with the return value of `work` (counts, for example). An error in `work` rolls everything back,
 * and the next move calls the hook again. Only a move can call it; other requests return `not-found`.
 */
export function defineLocalMigration<T>(work: (context: LocalMigrationContext) => Promise<T>): EventHandler {
  return defineEventHandler(async event => {
    const people = moves.getStore()
    if (!people) throw new AppError('not-found')
    return (await getApp(event).db.orm.transaction(db => work({ ...people, db }))) ?? null
  })
}

const LOCAL_EMAILS = new Set([DEV_EMAIL, LEGACY_LOCAL_EMAIL])

/**
 * The person who can take over local data: signed in in this browser, with a real account. Throws `unauthenticated`,
 * `not-a-real-account`, `email-not-verified`, and `local-migration-off` where the move is not offered to this person.
 */
export async function requireRealPerson(event: H3Event): Promise<Session> {
  const app = getApp(event)
  const session = await requireSession(event)
  // Bearers, embeds, the application's own sessions and the identity of AUTH_DISABLED are not accounts that can own rows.
  if (LOCAL_EMAILS.has(session.email) || session.id === null) throw new AppError('not-a-real-account')
  const { isOffered, owner } = app.config.localMigration
  if (!isOffered || (owner !== undefined && owner !== session.email)) throw new AppError('local-migration-off')
  // Where one address is named, a stranger may have entered it in a sign-up form.
  const mustBeVerified = owner !== undefined || !app.config.signIn.acceptsUnverified
  if (mustBeVerified && !session.emailVerified) throw new AppError('email-not-verified')
  return session
}
