import type { App } from './app-context'
import { isRehearsing } from './database/rehearsal'

const worksOf = (app: App) => app.memo('background-work', () => new Set<Promise<void>>())

/** Starts work that no request waits for; a failure is only logged under `name`. A rehearsal starts none. */
export function inBackground(app: App, name: string, work: () => Promise<void>): void {
  if (isRehearsing()) return
  const works = worksOf(app)
  const run: Promise<void> = Promise.resolve()
    .then(work)
    .catch((error: unknown) => app.log.warn('background work failed', { name, error }))
    .finally(() => works.delete(run))
  works.add(run)
}

/** The same, one at a time for each name and key: does nothing while such work is under way. */
export function inBackgroundOnce(app: App, name: string, key: string, work: () => Promise<void>): void {
  const underWay = app.memo('background-keys', () => new Set<string>())
  const task = `${name} ${key}`
  if (isRehearsing() || underWay.has(task)) return
  underWay.add(task)
  inBackground(app, name, () => work().finally(() => underWay.delete(task)))
}

/** Resolves when all started work has ended, after `mostInMs` at the latest. */
export async function backgroundDone(app: App, mostInMs = 5000): Promise<void> {
  const works = worksOf(app)
  const limit = AbortSignal.timeout(mostInMs)
  const over = new Promise<void>(resolve => limit.addEventListener('abort', () => resolve()))
  while (works.size > 0 && !limit.aborted) await Promise.race([Promise.all(works), over])
}

const state = (app: App) => app.memo('stopping', () => ({ value: false }))

/** Marks this process as stopping, so that it receives no new work. */
export function markStopping(app: App): void {
  state(app).value = true
}

/** Returns whether this process is stopping. */
export const isStopping = (app: App): boolean => state(app).value

const requestsOf = (app: App) => app.memo('requests', () => ({ lastAt: -Infinity }))
const LATELY_IN_MS = 1000

/** Records the arrival of a request. */
export function markRequest(app: App): void {
  requestsOf(app).lastAt = performance.now()
}

/** Returns whether a request arrived in the past second. */
export const hasRequests = (app: App): boolean => performance.now() - requestsOf(app).lastAt < LATELY_IN_MS
