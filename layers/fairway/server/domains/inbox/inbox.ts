// What waits for a person, read where it waits, and what they were told.
import { listWaitingFor } from '#fairway/server/domains/agents'
import { listConnections } from '#fairway/server/domains/oauth-client'
import { listOpenInvitations, openedOrganizations } from '#fairway/server/domains/organizations'
import { countUnread, type InboxReader, listNotifications } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import type { Inbox } from '#fairway/shared/schemas/inbox'
import type { Session } from '#fairway/shared/schemas/session'

type Waiting = Pick<Inbox, 'approvals' | 'invitations' | 'connections'>

async function listWaiting(app: App, session: Session): Promise<Waiting> {
  const [approvals, invitations, connections] = await Promise.all([
    listWaitingFor(app, session),
    listOpenInvitations(app, session),
    listConnections(app, session.userId),
  ])
  const broken = connections.filter(({ status }) => status === 'reconnect-required' || status === 'unreadable')
  return { approvals, invitations, connections: broken.map(({ provider, name }) => ({ provider, name })) }
}

// A closed organization shows nothing of what it has told its members.
const readerOf = async (app: App, session: Session): Promise<InboxReader> => ({
  userId: session.userId,
  openIds: (await openedOrganizations(app, session)).openIds,
})

/** Returns what waits for a person, and a page of their notifications, newest first. */
export async function readInbox(app: App, session: Session, after?: string): Promise<Inbox> {
  const [waiting, { rows, cursor }] = await Promise.all([
    listWaiting(app, session),
    listNotifications(app, await readerOf(app, session), after),
  ])
  const notifications = rows.map(({ id, title, text, href, createdAt, readAt }) => ({
    id,
    title,
    text,
    href,
    isRead: readAt !== null,
    createdAt: createdAt.toISOString(),
  }))
  return { ...waiting, notifications, cursor }
}

/** Counts what waits for a person, and their unread notifications. */
export async function countInbox(app: App, session: Session): Promise<{ waiting: number; unread: number }> {
  const [{ approvals, invitations, connections }, unread] = await Promise.all([
    listWaiting(app, session),
    countUnread(app, await readerOf(app, session)),
  ])
  return { waiting: approvals.length + invitations.length + connections.length, unread }
}
