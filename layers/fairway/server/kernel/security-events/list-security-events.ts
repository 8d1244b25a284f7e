import { and, count, desc, eq, gte, lt, type SQL, sql } from 'drizzle-orm'
import { inPieces } from '#fairway/server/kernel/export/in-pieces'
import type { App } from '#fairway/server/kernel/app-context'
import type { SecurityEventPage } from '#fairway/shared/schemas/security-event'
import { securityEvents } from './tables'

export interface EventFilter {
  kind?: string
  subject?: string
  clientAddress?: string
  /** From this time on, and before that one. */
  from?: Date
  until?: Date
}

const whereOf = ({ kind, subject, clientAddress, from, until }: EventFilter): SQL | undefined =>
  and(
    kind ? eq(securityEvents.kind, kind) : undefined,
    subject ? eq(securityEvents.subject, subject) : undefined,
    clientAddress ? eq(securityEvents.clientAddress, clientAddress) : undefined,
    from ? gte(securityEvents.at, from) : undefined,
    until ? lt(securityEvents.at, until) : undefined,
  )

type EventRow = typeof securityEvents.$inferSelect

/** An event as operators see it; the time is ISO 8601 UTC. */
export const toEvent = (row: EventRow) => ({ ...row, at: row.at.toISOString() })

/** One page of the events, the latest first. */
export async function listSecurityEvents(
  app: App,
  { page, itemsPerPage, ...filter }: EventFilter & { page: number; itemsPerPage: number },
): Promise<SecurityEventPage> {
  const where = whereOf(filter)
  const [rows, counted] = await Promise.all([
    app.db.orm
      .select()
      .from(securityEvents)
      .where(where)
      .orderBy(desc(securityEvents.at), desc(securityEvents.id))
      .limit(itemsPerPage)
      .offset((page - 1) * itemsPerPage),
    app.db.orm.select({ n: count() }).from(securityEvents).where(where),
  ])
  return { events: rows.map(toEvent), totalItems: counted[0]?.n ?? 0 }
}

/** All events that match, the oldest first, however many there are. */
export async function* eachSecurityEvent(app: App, filter: EventFilter): AsyncGenerator<ReturnType<typeof toEvent>> {
  const read = (after: EventRow | undefined, limit: number) => {
    const rest = after && sql`(${securityEvents.at}, ${securityEvents.id}) > (${after.at.getTime()}, ${after.id})`
    return app.db.orm
      .select()
      .from(securityEvents)
      .where(and(whereOf(filter), rest))
      .orderBy(securityEvents.at, securityEvents.id)
      .limit(limit)
  }
  for await (const row of inPieces(read)) yield toEvent(row)
}
