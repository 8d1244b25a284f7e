import type { McpAccess } from '#fairway/server/domains/oauth-server'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { rateLimitLocally } from '../../kernel/limits/rate-limit'
import { limits } from '../../kernel/limits/limits'

const MOST_AT_ONCE = 20

const running = (app: App) => app.memo('mcp-running', () => new Map<string, number>())
const subjectOf = ({ grantId, session }: McpAccess): string => grantId ?? `static:${session.userId}`

/** Counts a call of a grant and runs it; throws `rate-limited` beyond the limit, and while too many of them are running here. */
export async function withinCallLimits<T>(app: App, access: McpAccess, work: () => Promise<T>): Promise<T> {
  if (!app.config.rateLimits) return work()
  const subject = subjectOf(access)
  rateLimitLocally(app, limits.mcpCallsPerGrant, subject)
  const counts = running(app)
  const count = counts.get(subject) ?? 0
  if (count >= MOST_AT_ONCE)
    throw new AppError('rate-limited', { detail: 'Wait for earlier calls to end.', headers: { 'retry-after': '1' } })
  counts.set(subject, count + 1)
  try {
    return await work()
  } finally {
    const left = (counts.get(subject) ?? 1) - 1
    if (left === 0) counts.delete(subject)
    else counts.set(subject, left)
  }
}
