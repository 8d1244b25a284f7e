import type { McpAccess } from '#fairway/server/domains/oauth-server'
import { findOrgContext } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { constantTimeEqual, sha256 } from '#fairway/server/kernel/crypto/hash'
import { MCP_SCOPES } from '#fairway/shared/scopes'

/** Whether this is one of the configured tokens; takes the same time for all of them. */
export function isStaticToken(app: App, token: string): boolean {
  const hash = sha256(token)
  const same = app.config.mcp.staticTokenHashes.map(known => constantTimeEqual(known, hash))
  return same.includes(true)
}

/** What a static token opens: everything, as the person of `FW_OWNER_EMAIL` in the organization they work in; null when there is no such person, or whose address it is was never shown. */
export async function findStaticAccess(app: App): Promise<McpAccess | null> {
  const owner = await findOwner(app)
  if (!owner) return null
  const now = app.now().toISOString()
  const session = {
    ...owner,
    ...(await findOrgContext(app, owner)),
    createdAt: now,
    expiresAt: now,
  }
  return { session, scopes: new Set(MCP_SCOPES), grantId: null, clientId: null }
}

interface OwnerRow {
  userId: string
  email: string
  emailVerified: number
  name: string
  image: string | null
}

const FIND_OWNER = 'select id as userId, email, email_verified as emailVerified, name, image from users where email = ?'

async function findOwner(app: App) {
  const { ownerEmail } = app.config.mcp
  if (!ownerEmail) return undefined
  const find = app.memo('mcp-find-owner', () => app.db.prepareRead<OwnerRow>(FIND_OWNER))
  const [owner] = await find([ownerEmail])
  if (!owner) return undefined
  const emailVerified = owner.emailVerified === 1
  // Whoever signs up first with the operator's address is not the operator.
  if (!emailVerified && !app.config.signIn.acceptsUnverified) return undefined
  return { ...owner, emailVerified, provider: 'static-token' }
}

/** Warns at start about static tokens that open nothing. */
export async function warnAboutStaticTokens(app: App): Promise<void> {
  const { staticTokenHashes, ownerEmail } = app.config.mcp
  if (staticTokenHashes.length === 0) return
  if (!ownerEmail) app.log.warn('static bearer tokens open nothing: FW_OWNER_EMAIL is not set')
  else if (!(await findOwner(app)))
    app.log.warn('static bearer tokens open nothing yet: nobody has the address of FW_OWNER_EMAIL, or has confirmed it')
}
