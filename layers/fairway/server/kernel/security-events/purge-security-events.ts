import type { App } from '#fairway/server/kernel/app-context'

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
