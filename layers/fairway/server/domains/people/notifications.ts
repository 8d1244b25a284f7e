// What a person was told in their inbox. A signal says that an inbox has changed, so open pages of any instance load it again.
import { and, desc, eq, inArray, isNull, lt, max, or } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import type { Orm } from '#fairway/server/kernel/database/client'
import type { MailContent } from '#fairway/server/kernel/mail/mail-layout'
import { inboxSignals, notifications } from './tables'

const DAY_IN_MS = 24 * 60 * 60 * 1000
const KEEP_IN_MS = 90 * DAY_IN_MS
const KEEP_SIGNALS_IN_MS = 60 * 60 * 1000
const PAGE_SIZE = 30
const LONGEST_TEXT = 500

/** A reader of an inbox, and the organizations whose notifications they may see now. */
export interface InboxReader {
  userId: string
  openIds: readonly string[]
}

interface Told {
  userId: string
  /** The organization that it belongs to; only its members see it. Null for none. */
  orgId: string | null
  content: Pick<MailContent, 'name' | 'subject' | 'title' | 'lines' | 'action'>
}

/** Writes one notification, in the transaction where `on` is one. Its link is a path where it stays in this application. */
export async function writeNotification(
  app: App,
  on: Pick<Orm, 'insert'>,
  { userId, orgId, content: { name, subject, title = subject, lines, action } }: Told,
): Promise<void> {
  const { baseUrl } = app.config
  const href = action?.href.startsWith(`${baseUrl}/`) ? action.href.slice(baseUrl.length) : (action?.href ?? null)
  const text = lines.join(' ').slice(0, LONGEST_TEXT)
  await on.insert(notifications).values({ id: newId(), userId, orgId, name, title, text, href, createdAt: app.now() })
  await on.insert(inboxSignals).values({ userId, at: app.now() })
}

/** Tells the open pages of the account with this address that its inbox has changed. Does nothing without an account. */
export async function signalInbox(app: App, email: string): Promise<void> {
  await app.db.client.execute({
    sql: 'insert into fw_inbox_signals (user_id, at) select id, ? from users where email = ?',
    args: [app.now().getTime(), email],
  })
}

const isSeenBy = ({ userId, openIds }: InboxReader) =>
  and(eq(notifications.userId, userId), or(isNull(notifications.orgId), inArray(notifications.orgId, [...openIds])))

/** Returns a page of a person's notifications, newest first, and the cursor of the next one. */
export async function listNotifications(app: App, reader: InboxReader, cursor?: string) {
  const rows = await app.db.orm
    .select()
    .from(notifications)
    .where(and(isSeenBy(reader), cursor === undefined ? undefined : lt(notifications.id, cursor)))
    .orderBy(desc(notifications.id))
    .limit(PAGE_SIZE + 1)
  const shown = rows.slice(0, PAGE_SIZE)
  return { rows: shown, cursor: rows.length > PAGE_SIZE ? (shown.at(-1)?.id ?? null) : null }
}

/** Counts a person's unread notifications. */
export const countUnread = (app: App, reader: InboxReader): Promise<number> =>
  app.db.orm.$count(notifications, and(isSeenBy(reader), isNull(notifications.readAt)))

/** Marks these notifications of a person as read, or all of them. */
export async function readNotifications(app: App, userId: string, ids?: readonly string[]): Promise<void> {
  const isMeant = ids && inArray(notifications.id, [...ids])
  const read = await app.db.orm
    .update(notifications)
    .set({ readAt: app.now() })
    .where(and(eq(notifications.userId, userId), isNull(notifications.readAt), isMeant))
    .returning({ id: notifications.id })
  if (read.length > 0) await app.db.orm.insert(inboxSignals).values({ userId, at: app.now() })
}

/** The place of the newest signal; 0 without any. */
export async function newestSignal(app: App): Promise<number> {
  const [newest] = await app.db.orm.select({ place: max(inboxSignals.place) }).from(inboxSignals)
  return newest?.place ?? 0
}

/** The people whose inboxes have changed since a signal, and the place of the newest one. */
export async function listSignalsAfter(app: App, after: number) {
  const find = app.memo('inbox-signals-after', () =>
    app.db.prepareRead<{ place: number; userId: string }>(
      'select place, user_id as userId from fw_inbox_signals where place > ? order by place',
    ),
  )
  const rows = await find([after])
  return { userIds: new Set(rows.map(({ userId }) => userId)), last: rows.at(-1)?.place ?? after }
}

/** Deletes notifications after 90 days, and signals after an hour. */
export async function purgeNotifications(app: App): Promise<void> {
  const now = app.now().getTime()
  await app.db.orm.delete(notifications).where(lt(notifications.createdAt, new Date(now - KEEP_IN_MS)))
  // The newest row stays, so that places are never used again.
  await app.db.client.execute({
    sql: 'delete from fw_inbox_signals where at < ? and place < (select max(place) from fw_inbox_signals)',
    args: [now - KEEP_SIGNALS_IN_MS],
  })
}
