import * as z from 'zod/mini'
import { waitingApprovalSchema } from './approval'
import { receivedInvitationSchema } from './organization'

/** What a person was told. Times are ISO 8601 UTC. */
const notificationSchema = z.object({
  id: z.string(),
  title: z.string(),
  text: z.string(),
  /** A path of this application, or a full address; null for none. */
  href: z.nullable(z.string()),
  isRead: z.boolean(),
  createdAt: z.string(),
})

/** What waits for a person until they act. */
const waitingShape = {
  approvals: z.array(waitingApprovalSchema),
  invitations: z.array(receivedInvitationSchema),
  /** Connections to providers that must be connected again. */
  connections: z.array(z.object({ provider: z.string(), name: z.string() })),
}

/** The inbox: what waits, and a page of the notifications, newest first. */
export const inboxSchema = z.object({
  ...waitingShape,
  notifications: z.array(notificationSchema),
  /** For the next page; null on the last one. */
  cursor: z.nullable(z.string()),
})
export type Inbox = z.infer<typeof inboxSchema>

export const inboxCountSchema = z.object({ waiting: z.int(), unread: z.int() })
