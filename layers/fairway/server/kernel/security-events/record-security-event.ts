import type { App } from '../app-context'
import { newId } from '../crypto/random'

const HOUR_IN_MS = 60 * 60 * 1000
const MOST_CHARACTERS = 300

interface SecurityEvent {
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

/** Kinds of security events: what each means, and how many in an hour raise an alert (SPEC: Limits). */
export const eventKinds = {
  'callback-failed': { title: 'A provider sent a browser back and the sign-in or connection failed.', alertAbove: 50 },
  'state-validation-failed': {
    title: 'The state of a callback was missing, used, or of another browser.',
    alertAbove: 10,
  },
  'token-refresh-failed': { title: 'A provider did not renew a token.', alertAbove: 20 },
  'invalid-provider-response': { title: 'A provider answered with something that is not valid.', alertAbove: 5 },
  'provider-client-refused': {
    title: 'A provider does not accept this application: its client id or secret there is wrong.',
    alertAbove: 0,
  },
  'connection-cancelled': { title: 'A user cancelled at a provider.', alertAbove: null },
  'account-refused': { title: 'A user came from a provider and may not sign in here.', alertAbove: null },
  'callbacks-limited': { title: 'One address sent more callbacks than it may.', alertAbove: null },
  'code-replayed': {
    title: 'An authorization code was used a second time; everything issued from it has ended, if its own app did so.',
    alertAbove: null,
  },
  'refresh-token-replayed': {
    title: 'A refresh token was used a second time; its connection has ended.',
    alertAbove: null,
  },
  'identity-code-replayed': {
    title: 'An application redeemed a code of the identity hub a second time.',
    alertAbove: null,
  },
  'identity-code-refused': {
    title: 'A code of the identity hub came with another client, address or verifier; it is used up.',
    alertAbove: null,
  },
  'peer-refused': { title: 'A call of another application was not accepted.', alertAbove: null },
  'desktop-sign-in-refused': {
    title: 'A desktop sign-in was opened or exchanged from another browser, by another user, or with a wrong verifier.',
    alertAbove: null,
  },
  'account-claimed': {
    title: 'The owner of an address ended the other ways into an account that was used before.',
    alertAbove: null,
  },
  'address-changed': {
    title: 'A person changed the address of their account; the owners of both addresses confirmed it.',
    alertAbove: null,
  },
  'account-deleted': { title: 'A person deleted their account.', alertAbove: null },
  'credential-unreadable': { title: 'A sealed credential could not be opened.', alertAbove: null },
} as const satisfies Record<string, { title: string; alertAbove: number | null }>

export type SecurityEventKind = keyof typeof eventKinds

const DAY_IN_MS = 24 * 60 * 60 * 1000
const EVENT_DAYS = 90
const COUNT_DAYS = 400
/** Rows of one statement, so that writers do not wait for a large clean-up. */
const MOST_ROWS = 2000

/** Deletes events after ninety days and their counts after four hundred. */
export async function purgeSecurityEvents(app: App): Promise<void> {
  const before = (days: number) => app.now().getTime() - days * DAY_IN_MS
  for (;;) {
    const { rowsAffected } = await app.db.client.execute({
      sql: 'delete from security_events where id in (select id from security_events where at < ? limit ?)',
      args: [before(EVENT_DAYS), MOST_ROWS],
    })
    if (rowsAffected < MOST_ROWS) break
  }
  await app.db.client.execute({ sql: 'delete from security_event_counts where hour < ?', args: [before(COUNT_DAYS)] })
}
