import { setTimeout as sleep } from 'node:timers/promises'
import { and, eq } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { connectionMissing } from './connection-missing'
import { requireProvider } from './provider-registry'
import { refreshConnection } from './refresh-connection'
import { openToken } from './sealed-tokens'
import { type ConnectionRow, oauthTokens } from './tables'

/** A token is renewed when it ends within five minutes (SPEC: Limits). */
const LEAD_IN_MS = 5 * 60 * 1000
const PAUSE_IN_MS = 100
/** How long a caller waits for somebody else's refresh; longer than a refresh may take. */
const PATIENCE_IN_MS = 15_000

/**
 * An access token of this person at a provider that is good for five more minutes; any number of callers on any number of
 * instances cause one refresh. Throws `connection-required`, `reconnect-required`, and `provider-unavailable`.
 */
export async function getAccessToken(app: App, userId: string, providerId: string): Promise<string> {
  const provider = requireProvider(app, providerId)
  const patience = app.now().getTime() + PATIENCE_IN_MS
  let firstVersion: number | undefined
  for (;;) {
    const row = await readConnection(app, userId, provider.id)
    firstVersion ??= row.version
    // What was renewed just now serves however short its life is.
    if (isLongLived(app, row) || (row.version !== firstVersion && isAlive(app, row))) return readToken(app, row)
    const outcome = await refreshConnection(app, provider, row)
    if (outcome === 'unavailable' || (outcome === 'taken' && app.now().getTime() > patience)) {
      return tokenForNow(app, row)
    }
    if (outcome === 'taken') await sleep(PAUSE_IN_MS)
  }
}

async function readConnection(app: App, userId: string, provider: string): Promise<ConnectionRow> {
  const [row] = await app.db.orm
    .select()
    .from(oauthTokens)
    .where(and(eq(oauthTokens.userId, userId), eq(oauthTokens.provider, provider)))
  if (!row) throw connectionMissing('connection-required', provider)
  if (row.status === 'reconnect_required') throw connectionMissing('reconnect-required', provider)
  return row
}

const isLongLived = (app: App, { expiresAt }: ConnectionRow): boolean =>
  expiresAt === null || expiresAt.getTime() >= app.now().getTime() + LEAD_IN_MS

const isAlive = (app: App, { expiresAt }: ConnectionRow): boolean => expiresAt === null || expiresAt > app.now()

/** While a provider cannot be reached, a token that has not ended yet still serves. */
function tokenForNow(app: App, row: ConnectionRow): string {
  if (!isAlive(app, row)) throw new AppError('provider-unavailable')
  return readToken(app, row)
}

function readToken(app: App, row: ConnectionRow): string {
  const token = openToken(app, row, 'access', row.accessToken)
  if (token === null) throw connectionMissing('reconnect-required', row.provider)
  return token
}
