import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import { eventKinds, type SecurityEventKind } from './event-kinds'

const HOUR_IN_MS = 60 * 60 * 1000
const MOST_CHARACTERS = 300

export interface SecurityEvent {
  kind: SecurityEventKind
  /** Why, in words that hold no state, no code and no token. */
  reason: string
  /** The external provider or the client that it is about. */
  subject?: string
  clientAddress?: string
  userId?: string
  orgId?: string
  requestId?: string
}

/** When the hour of a point in time began. */
export const hourOf = (at: Date): number => at.getTime() - (at.getTime() % HOUR_IN_MS)

/**
 * Stores a security event, writes its log line and counts it; the count that goes over the threshold of its kind writes one
 * `alert` line for that hour, whichever instance it is. A recorder that fails is logged and changes nothing for the caller.
 */
export async function recordSecurityEvent(app: App, event: SecurityEvent): Promise<void> {
  const { kind, reason, subject, clientAddress, userId, orgId, requestId } = event
  const at = app.now()
  app.log.warn('security event', { kind, subject, clientAddress, userId, orgId, reason, requestId })
  try {
    const [, counted] = await app.db.client.batch(
      [
        {
          sql: `insert into security_events (id, at, kind, subject, client_address, user_id, org_id, reason, request_id)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          args: [
            newId(),
            at.getTime(),
            kind,
            subject ?? null,
            clientAddress ?? null,
            userId ?? null,
            orgId ?? null,
            reason.slice(0, MOST_CHARACTERS),
            requestId ?? null,
          ],
        },
        {
          sql: `insert into security_event_counts (kind, hour, count) values (?, ?, 1)
            on conflict (kind, hour) do update set count = count + 1 returning count`,
          args: [kind, hourOf(at)],
        },
      ],
      'write',
    )
    await alert(app, kind, hourOf(at), Number(counted?.rows[0]?.count))
  } catch (cause) {
    app.log.error('a security event could not be stored', { kind, error: cause })
  }
}

async function alert(app: App, kind: SecurityEventKind, hour: number, count: number): Promise<void> {
  const { alertAbove } = eventKinds[kind]
  if (alertAbove === null || count <= alertAbove) return
  const { rowsAffected } = await app.db.client.execute({
    sql: 'update security_event_counts set alerted_at = ? where kind = ? and hour = ? and alerted_at is null',
    args: [app.now().getTime(), kind, hour],
  })
  if (rowsAffected > 0) app.log.error('alert', { kind, hour: new Date(hour).toISOString(), count, alertAbove })
}
