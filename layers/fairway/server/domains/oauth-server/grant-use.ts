// What a grant was used for: when it last read, changed, deleted and operated. The audit log has no rows of reads.
import type { App } from '#fairway/server/kernel/app-context'
import { noteAccountEvent } from '#fairway/server/domains/people'
import { inBackgroundOnce } from '#fairway/server/kernel/background'
import { findRun } from '#fairway/server/kernel/current-run'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import type { InStatement } from '#fairway/server/kernel/database/client'
import { DELETE, OPERATOR_SCOPE } from '#fairway/shared/scopes'
import { GRANT_PARTS, type GrantPart, type GrantUse } from '#fairway/shared/schemas/connection'

/** When a grant was last used in each way, in milliseconds; null for never. */
export type UsedAt = Readonly<Record<GrantUse, number | null>>

const COLUMN = { read: 'read_at', write: 'written_at', delete: 'deleted_at', operate: 'operated_at' } as const

/** The columns of a grant (`g`) that say when it was used. */
export const USE_COLUMNS =
  'g.read_at as readAt, g.written_at as writtenAt, g.deleted_at as deletedAt, g.operated_at as operatedAt'

/** A row that was read with `USE_COLUMNS`. */
export interface UseTimes {
  readAt: number | null
  writtenAt: number | null
  deletedAt: number | null
  operatedAt: number | null
}

export const usedAtOf = ({ readAt, writtenAt, deletedAt, operatedAt }: UseTimes): UsedAt => ({
  read: readAt,
  write: writtenAt,
  delete: deletedAt,
  operate: operatedAt,
})

const NOTE_EVERY_IN_MS = 60 * 60 * 1000
/** What a grant did not use for this long counts as unused. */
export const UNUSED_AFTER_IN_MS = 30 * 24 * 60 * 60 * 1000

/**
 * Notes what a grant is used for, at most once an hour for each use, after the response. It counts calls that are allowed to
 * begin, whatever their outcome: an app that tries to delete needs the permission.
 */
export function noteUse(
  app: App,
  { grantId, usedAt }: { grantId: string | null; usedAt?: UsedAt },
  use: GrantUse,
): void {
  if (grantId === null || !usedAt) return
  const now = app.now().getTime()
  const before = usedAt[use]
  if (now - (before ?? 0) < NOTE_EVERY_IN_MS) return
  const sql = `update oauth_grants set ${COLUMN[use]} = ? where id = ? and ${COLUMN[use]} is ?`
  writeSoon(app, `${grantId} ${use}`, { sql, args: [now, grantId, before] })
}

/** Runs a statement after the response, one at a time for each key; drops it while another one of that key is under way. */
export const writeSoon = (app: App, key: string, statement: InStatement): void =>
  inBackgroundOnce(app, 'note-grant', key, async () => void (await app.db.client.execute(statement)))

const KNOWN_PLACE_IN_MS = 90 * 24 * 60 * 60 * 1000

interface TokenPlace {
  /** The owner of the token, whom a new network is told. */
  userId: string
  /** The name of the token. */
  subject: string
  /** The network that it was last used from. */
  usedFrom: string | null
}

/** The network of this call, if the token was last used from another one. One that is new to its owner is a security event. */
export function findNewPlace(app: App, { userId, subject, usedFrom }: TokenPlace): string | undefined {
  const address = findRun()?.clientAddress
  const place = address === undefined ? undefined : addressKey(address)
  if (place === undefined || place === usedFrom) return undefined
  noteAccountEvent(app, { kind: 'token-used', userId, subject, quietForInMs: KNOWN_PLACE_IN_MS })
  return place
}

/** The uses that keep each part of a grant. Deleting needs `mcp:write` too. */
const KEEPS: Record<GrantPart, readonly GrantUse[]> = {
  'mcp:write': ['write', 'delete'],
  [DELETE]: ['delete'],
  [OPERATOR_SCOPE]: ['operate'],
}

interface Granted {
  /** Space-separated. */
  scope: string
  mayDelete: number
  /** Not null for an agent that a customer manages: each assertion sets its scopes again. */
  assertionIssuer: string | null
}

/** The parts of a grant that were not used since a time, largest first: deleting is a part of `mcp:write`. */
export function unusedParts(
  { scope, mayDelete, assertionIssuer }: Granted,
  usedAt: UsedAt,
  since: number,
): GrantPart[] {
  if (assertionIssuer !== null) return []
  const scopes = scope.split(' ')
  const held = GRANT_PARTS.filter(part => scopes.includes(part === DELETE ? 'mcp:write' : part))
  const unused = held.filter(part => KEEPS[part].every(use => (usedAt[use] ?? 0) <= since))
  return unused.filter(part => part !== DELETE || (mayDelete === 1 && !unused.includes('mcp:write')))
}

/** The condition that a grant did not use a part since a time, which is its only parameter. */
export const isUnusedSql = (part: GrantPart): string =>
  `max(${KEEPS[part].map(use => `coalesce(${COLUMN[use]}, 0)`).join(', ')}, 0) <= ?`

/** Whether a grant used nothing since a time. */
export const isIdle = (usedAt: UsedAt, since: number): boolean => Object.values(usedAt).every(at => (at ?? 0) <= since)
