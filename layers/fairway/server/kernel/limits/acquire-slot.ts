import type { App } from '../app-context'
import { AppError } from '../http/app-error'
import type { ConcurrencyLimit } from './limits'

/**
 * Counts a request of a subject as running, and returns the function that ends it, to be called once. Throws `rate-limited` with
 * `Retry-After` when the maximum is running.
 */
export function acquireSlot(app: App, { name, most }: ConcurrencyLimit, subject: string): () => void {
  if (!app.config.rateLimits) return () => {}
  const running = app.memo(`running:${name}`, () => new Map<string, number>())
  const count = running.get(subject) ?? 0
  if (count >= most) {
    const detail = 'Wait until an earlier request has ended.'
    throw new AppError('rate-limited', { detail, headers: { 'retry-after': '1' } })
  }
  running.set(subject, count + 1)
  return () => {
    const left = (running.get(subject) ?? 1) - 1
    if (left === 0) running.delete(subject)
    else running.set(subject, left)
  }
}
