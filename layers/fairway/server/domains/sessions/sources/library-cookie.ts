import { appendResponseHeader } from 'h3'
import { readSessionTokens, sessionCookie } from '#fairway/server/domains/people'
import {
  completeOrgContext,
  type OrgContext,
  type OrgContextRow,
  orgContextColumns,
  orgContextJoin,
} from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { DEV_EMAIL, LEGACY_LOCAL_EMAIL } from '#fairway/server/kernel/config/config'
import { clientAddress } from '#fairway/server/kernel/http/client-address'
import type { Session } from '#fairway/shared/schemas/session'
import { newExpiry } from '../session-rolling'
import type { SessionSource } from '../session-source'
import { touchSession } from '../touch-session'

interface SessionRow extends OrgContextRow {
  sessionId: string
  token: string
  createdAt: number
  updatedAt: number
  expiresAt: number
  lastUsedAt: number | null
  provider: string
  mayClaim: number
  userId: string
  email: string
  emailVerified: number
  name: string
  image: string | null
  kind: string
}

const FIND_SESSION = `
  select s.id as sessionId, s.token as token, s.created_at as createdAt, s.updated_at as updatedAt, s.expires_at as expiresAt,
    s.last_used_at as lastUsedAt, s.provider as provider, u.claim_since is not null and s.proves_address as mayClaim, u.id as userId, u.email as email, u.email_verified as emailVerified, u.name as name, u.image as image, u.kind as kind,
    ${orgContextColumns}
  from sessions s join users u on u.id = s.user_id ${orgContextJoin}
  where s.token = ? and s.expires_at > ?`

/** The session behind the signed cookie, with the organization: one HMAC and one prepared statement, so an ended session is gone on the next request. */
export const libraryCookie: SessionSource = {
  name: 'library-cookie',
  isUsed: config => config.customSignIn === null,
  async find(event, app) {
    for (const token of readSessionTokens(event.node.req.headers.cookie, app.config)) {
      const row = await findRow(app, token)
      if (!row || isRefusedLocalIdentity(row, app) || isUnconfirmed(row, app)) continue
      event.context.sessionId = row.sessionId
      const expiresAt = await roll(app, row, cookie => appendResponseHeader(event, 'set-cookie', cookie))
      const session = toSession(row, expiresAt, await completeOrgContext(app, row, row))
      touchSession(app, row, () => clientAddress(event.node.req, app.config.trustedProxies))
      return session
    }
    return null
  },
}

// The setting may have changed since this session was made.
const isUnconfirmed = ({ emailVerified, kind }: SessionRow, { config }: App): boolean =>
  config.signIn.emailVerification === 'required' && emailVerified === 0 && kind === 'person'

async function findRow(app: App, token: string): Promise<SessionRow | undefined> {
  const find = app.memo('find-session', () => app.db.prepareRead<SessionRow>(FIND_SESSION))
  const [row] = await find([token, app.now().getTime()])
  return row
}

// A development database may be opened in production by mistake; its throwaway account opens nothing there.
const isRefusedLocalIdentity = (row: SessionRow, app: App): boolean =>
  row.email === LEGACY_LOCAL_EMAIL ||
  (app.config.environment === 'production' && (row.kind === 'dev' || row.email === DEV_EMAIL))

async function roll(app: App, row: SessionRow, setCookie: (cookie: string) => void): Promise<number> {
  const now = app.now().getTime()
  const expiresAt = newExpiry(row, now)
  if (expiresAt === undefined) return row.expiresAt
  const { rowsAffected } = await app.db.client.execute({
    sql: 'update sessions set expires_at = ?, updated_at = ? where id = ? and updated_at = ?',
    args: [expiresAt, now, row.sessionId, row.updatedAt],
  })
  if (rowsAffected > 0) setCookie(sessionCookie(row.token, app.config, Math.ceil((expiresAt - now) / 1000)))
  return expiresAt
}

function toSession(row: SessionRow, expiresAt: number, org: OrgContext): Session {
  return {
    userId: row.userId,
    email: row.email,
    emailVerified: row.emailVerified === 1,
    name: row.name,
    image: row.image,
    ...org,
    provider: row.provider,
    createdAt: new Date(row.createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    ...(row.mayClaim === 1 ? { mayClaim: true } : {}),
  }
}
