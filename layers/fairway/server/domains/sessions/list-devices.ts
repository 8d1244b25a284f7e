import { and, eq, gt } from 'drizzle-orm'
import type { H3Event } from 'h3'
import { sessions, readSessionTokens, readDevice } from '#fairway/server/domains/people'
import { getApp } from '#fairway/server/kernel/app-context'
import { canonicalAddress } from '#fairway/server/kernel/http/client-address'
import { requestInfo } from '#fairway/server/kernel/http/request-info'
import type { Device } from '#fairway/shared/schemas/device'
import { requireSession } from './get-session'

type SessionRow = typeof sessions.$inferSelect

/** The live sessions of whoever asks, the one used last first; throws `unauthenticated`. */
export async function listDevices(event: H3Event): Promise<Device[]> {
  const { userId } = await requireSession(event)
  const app = getApp(event)
  const { cookieHeader, clientAddress } = requestInfo(event)
  const rows = await app.db.orm
    .select()
    .from(sessions)
    .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, app.now())))
  const [token] = readSessionTokens(cookieHeader, app.config).filter(one => rows.some(row => row.token === one))
  // What asks is in use at this moment, whatever the last note of it says.
  const now = { lastUsedAt: app.now(), ipAddress: clientAddress }
  const devices = await Promise.all(
    rows.map(row => (row.token === token ? toDevice({ ...row, ...now }, true) : toDevice(row, false))),
  )
  return devices.toSorted((a, b) => b.lastUsedAt.localeCompare(a.lastUsedAt) || b.id.localeCompare(a.id))
}

async function toDevice(row: SessionRow, current: boolean): Promise<Device> {
  return {
    id: row.id,
    ...(await readDevice(row.userAgent)),
    address: row.ipAddress ? canonicalAddress(row.ipAddress) : null,
    provider: row.provider,
    createdAt: row.createdAt.toISOString(),
    lastUsedAt: (row.lastUsedAt ?? row.createdAt).toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    current,
  }
}
