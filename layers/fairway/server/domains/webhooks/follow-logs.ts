// From the logs to what is queued. A webhook has a place in each log, and rows behind it become deliveries in the same transaction
// that moves the place: whatever process dies when, the next look begins where the last one was written down. A row that is queued
// twice by two instances is one delivery.
import { type LoggedEvent, auditHeadsOf, listAuditEvents } from '#fairway/server/domains/actions'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import {
  type EventPlace,
  listSecurityEventsAfter,
  newestSecurityEvent,
} from '#fairway/server/kernel/security-events/list-security-events'
import { matchesTypes } from './event-types'
import { typesOf } from './subscriptions'

/** An event before it is read: which log it is from, and what it is called. */
export interface QueuedEvent {
  eventId: string
  source: 'audit' | 'security' | 'test'
  type: string
  /** Milliseconds since 1970. */
  at: number
}

interface Follower {
  id: string
  orgId: string | null
  types: string
  auditSeq: number
  eventPlace: number
  eventId: string | null
}

/** How far this process has looked beyond the place that is written down; it holds while that place does. */
interface Looked {
  auditFrom: number
  auditSeq: number
  eventFrom: EventPlace
  event: EventPlace
}

const PIECE = 500
/** Rows that fit no webhook are not worth a write each: the place is written down when so many were looked at. */
const MOST_UNWRITTEN = 500

/** The webhooks that are on. */
async function findFollowers(app: App): Promise<Follower[]> {
  const find = app.memo('webhook-followers', () =>
    app.db.prepareRead<Follower>(
      `select id, org_id as orgId, types, audit_seq as auditSeq, event_place as eventPlace, event_id as eventId
        from fw_webhooks where state = 'on' order by id`,
    ),
  )
  return find([])
}

/** Queues what has happened since the last look for all webhooks that are on; gives how many those are. */
export async function followLogs(app: App): Promise<number> {
  const followers = await findFollowers(app)
  if (followers.length === 0) return 0
  const looked = app.memo('webhook-looked', () => new Map<string, Looked>())
  const known = new Set(followers.map(({ id }) => id))
  for (const id of looked.keys()) if (!known.has(id)) looked.delete(id)
  const [heads, newest] = await Promise.all([
    auditHeadsOf(
      app,
      followers.flatMap(({ orgId }) => orgId ?? []),
    ),
    newestSecurityEvent(app),
  ])
  for (const follower of followers) {
    const place = placeOf(follower, looked.get(follower.id))
    looked.set(follower.id, place)
    if (follower.orgId !== null && (heads.get(follower.orgId) ?? 0) > place.auditSeq)
      await followAudit(app, { ...follower, orgId: follower.orgId }, place)
    if (newest.id !== place.event.id) await followSecurity(app, follower, place)
  }
  return followers.length
}

function placeOf({ auditSeq, eventPlace, eventId }: Follower, before: Looked | undefined): Looked {
  const audit = before?.auditFrom === auditSeq ? before.auditSeq : auditSeq
  const eventFrom = { place: eventPlace, id: eventId }
  const event = before?.eventFrom.id === eventId ? before.event : eventFrom
  return { auditFrom: auditSeq, auditSeq: audit, eventFrom, event }
}

async function followAudit(app: App, follower: Follower & { orgId: string }, place: Looked): Promise<void> {
  const { id, orgId } = follower
  for (;;) {
    const rows = await listAuditEvents(app, { orgId, seq: place.auditSeq }, PIECE)
    const last = rows.at(-1)
    if (!last) return
    const events = matching(follower, rows.map(toAuditEvent))
    if (events.length > 0 || last.seq - place.auditFrom >= MOST_UNWRITTEN) {
      await app.db.client.batch(
        [
          queueStatement(app, id, events),
          {
            sql: 'update fw_webhooks set audit_seq = ? where id = ? and audit_seq = ?',
            args: [last.seq, id, place.auditFrom],
          },
        ],
        'write',
      )
      place.auditFrom = last.seq
    }
    place.auditSeq = last.seq
    if (rows.length < PIECE) return
  }
}

async function followSecurity(app: App, follower: Follower, place: Looked): Promise<void> {
  const { id, orgId } = follower
  for (;;) {
    const rows = await listSecurityEventsAfter(app, place.event, PIECE)
    const last = rows.at(-1)
    if (!last) return
    const concerned = rows.filter(row => orgId === null || row.orgId === orgId)
    const events = matching(follower, concerned.map(toSecurityEvent))
    if (events.length > 0 || last.place - place.eventFrom.place >= MOST_UNWRITTEN) {
      await app.db.client.batch(
        [
          queueStatement(app, id, events),
          {
            sql: 'update fw_webhooks set event_place = ?, event_id = ? where id = ? and event_id is ?',
            args: [last.place, last.id, id, place.eventFrom.id],
          },
        ],
        'write',
      )
      place.eventFrom = { place: last.place, id: last.id }
    }
    place.event = { place: last.place, id: last.id }
    if (rows.length < PIECE) return
  }
}

const matching = (follower: Pick<Follower, 'types'>, events: QueuedEvent[]): QueuedEvent[] => {
  const patterns = typesOf(follower)
  return events.filter(({ type }) => matchesTypes(patterns, type))
}

/** A row of the audit log as an event. */
export const toAuditEvent = ({ id, action, at }: LoggedEvent): QueuedEvent => ({
  eventId: id,
  source: 'audit',
  type: `audit.${action}`,
  at,
})

/** A security event as an event of webhooks. */
export const toSecurityEvent = ({ id, kind, at }: { id: string; kind: string; at: number }): QueuedEvent => ({
  eventId: id,
  source: 'security',
  type: `security.${kind}`,
  at,
})

/** How events that are queued already are queued again: not at all, those that were given up, or all. */
type Again = 'none' | 'failed' | 'all'

const AGAIN = {
  none: 'do nothing',
  failed: restart("state = 'failed'"),
  all: restart('true'),
}

function restart(condition: string): string {
  return `do update set state = 'pending', tries = 0, next_try_at = excluded.next_try_at, queued_at = excluded.queued_at where ${condition}`
}

/** The statement that queues events for a webhook that is on; its `rowsAffected` are those that were queued. */
export const queueStatement = (app: App, webhookId: string, events: readonly QueuedEvent[], again: Again = 'none') => {
  const now = app.now().getTime()
  return {
    sql: `insert into fw_webhook_deliveries (id, webhook_id, event_id, source, type, event_at, state, tries, next_try_at, queued_at)
      select value ->> '$.id', ?, value ->> '$.eventId', value ->> '$.source', value ->> '$.type', value ->> '$.at', 'pending', 0, ?, ?
      from json_each(?) where exists (select 1 from fw_webhooks where id = ? and state = 'on')
      on conflict (webhook_id, event_id) ${AGAIN[again]}`,
    args: [webhookId, now, now, JSON.stringify(events.map(event => ({ ...event, id: newId() }))), webhookId],
  }
}
