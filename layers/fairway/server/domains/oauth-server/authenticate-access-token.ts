import { type ActorRow, memberActor, openSession } from '#fairway/server/domains/sessions'
import type { App } from '#fairway/server/kernel/app-context'
import { inBackground } from '#fairway/server/kernel/background'
import type { Session } from '#fairway/shared/schemas/session'
import { MCP_SCOPES, type McpScope } from '#fairway/shared/scopes'
import { type AccessTokenClaims, verifyAccessToken } from './access-token'

/** Who calls `/mcp`: a person in one organization, through a host, with what was granted to it. */
export interface McpAccess {
  /** The person as actions see it; its organization is the grant's, not the one active in a browser. */
  session: Session
  scopes: ReadonlySet<McpScope>
  /** Whether `mcp:write` covers tools that lose something for good. */
  mayDelete: boolean
  /** Null for static tokens. */
  grantId: string | null
  clientId: string | null
}

const TOUCH_EVERY_IN_MS = 5 * 60 * 1000

interface AccessRow extends ActorRow {
  grantId: string
  clientId: string
  createdAt: number
  lastUsedAt: number | null
  calledAt: number | null
  /** 0 where the person has kept deleting back. */
  mayDelete: number
  /** How the session was proved that approved the grant. */
  provider: string
}

/**
 * Who calls with this access token, and what they may; null unless it is one of ours, its grant is live, and the person is still in
 * that organization, which is closed where it asks for another provider. One prepared statement on every call, so what has ended is
 * over on the next one.
 */
export async function authenticateAccessToken(app: App, token: string): Promise<McpAccess | null> {
  const claims = await verifyAccessToken(app, token)
  if (!claims) return null
  const row = await findAccess(app, claims)
  if (!row) return null
  const { provider, createdAt, grantId, clientId } = row
  const proof = { provider, shownAs: 'mcp', orgId: claims.org_id, createdAt, expiresAt: claims.exp * 1000 }
  const opened = await openSession(app, row, proof)
  if ('refusal' in opened) return null
  if (row.calledAt === null) await noteFirstCall(app, row)
  touchGrant(app, row)
  const granted = new Set(claims.scope.split(' '))
  const scopes = new Set(MCP_SCOPES.filter(scope => granted.has(scope)))
  return { session: opened.session, scopes, mayDelete: row.mayDelete === 1, grantId, clientId }
}

async function findAccess(app: App, claims: AccessTokenClaims): Promise<AccessRow | undefined> {
  const find = app.memo('find-mcp-access', () =>
    app.db.prepareRead<AccessRow>(
      `select g.id as grantId, g.client_id as clientId, g.created_at as createdAt, g.last_used_at as lastUsedAt, g.called_at as calledAt,
          g.provider as provider, g.may_delete as mayDelete, ${memberActor.columns}
        from oauth_grants g ${memberActor.joins('g.user_id', 'g.org_id')}
        where g.id = ? and g.user_id = ? and g.org_id = ? and g.client_id = ? and g.revoked_at is null and g.expires_at > ?`,
    ),
  )
  const [row] = await find([claims.grant_id, claims.sub, claims.org_id, claims.client_id, app.now().getTime()])
  return row
}

// Waited for, once in the life of a grant: the next consent replaces what was never called.
async function noteFirstCall(app: App, { grantId }: AccessRow): Promise<void> {
  await app.db.client.execute({
    sql: 'update oauth_grants set called_at = ? where id = ? and called_at is null',
    args: [app.now().getTime(), grantId],
  })
}

/** Notes when a grant was used, at most once in five minutes, after the answer. */
function touchGrant(app: App, { grantId, lastUsedAt }: AccessRow): void {
  const now = app.now().getTime()
  if (now - (lastUsedAt ?? 0) < TOUCH_EVERY_IN_MS) return
  const touching = app.memo('touching-grants', () => new Set<string>())
  if (touching.has(grantId)) return
  touching.add(grantId)
  inBackground(app, 'touch-grant', async () => {
    try {
      await app.db.client.execute({
        sql: 'update oauth_grants set last_used_at = ? where id = ? and last_used_at is ?',
        args: [now, grantId, lastUsedAt],
      })
    } finally {
      touching.delete(grantId)
    }
  })
}
