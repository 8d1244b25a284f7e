import type { H3Event } from 'h3'
import { readSessionTokens } from '#server/domains/auth-library'
import { getApp } from '#server/foundation/app-context'

/** The id of the session row that signs this browser in as this person; null where the session is not one of ours. */
export async function findSessionId(event: H3Event, userId: string): Promise<string | null> {
  const app = getApp(event)
  const find = app.once('find-session-id', () =>
    app.db.prepareRead<{ id: string }>('select id from sessions where token = ? and user_id = ? and expires_at > ?'),
  )
  for (const token of readSessionTokens(event.node.req.headers.cookie, app.config)) {
    const [row] = await find([token, userId, app.now().getTime()])
    if (row) return row.id
  }
  return null
}
