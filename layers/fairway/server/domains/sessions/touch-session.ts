import type { App } from '#fairway/server/kernel/app-context'
import { inBackground } from '#fairway/server/kernel/background'

const TOUCH_EVERY_IN_MS = 5 * 60 * 1000

interface TouchedSession {
  sessionId: string
  createdAt: number
  lastUsedAt: number | null
}

/** Notes when and from which address a session was used, at most once in five minutes; the request does not wait for it. */
export function touchSession(app: App, session: TouchedSession, address: () => string): void {
  const { sessionId, createdAt, lastUsedAt } = session
  const now = app.now().getTime()
  if (now - (lastUsedAt ?? createdAt) < TOUCH_EVERY_IN_MS) return
  const touching = app.memo('touching-sessions', () => new Set<string>())
  if (touching.has(sessionId)) return
  touching.add(sessionId)
  const args = [now, address(), sessionId, lastUsedAt]
  inBackground(app, 'touch-session', async () => {
    try {
      await app.db.client.execute({
        sql: 'update sessions set last_used_at = ?, ip_address = ? where id = ? and last_used_at is ?',
        args,
      })
    } finally {
      touching.delete(sessionId)
    }
  })
}
