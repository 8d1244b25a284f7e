import type { McpAccess } from '#fairway/server/domains/oauth-server'
import { actAs } from '#fairway/server/domains/sessions'
import type { App } from '#fairway/server/kernel/app-context'
import { constantTimeEqual, sha256 } from '#fairway/server/kernel/crypto/hash'
import type { Session } from '#fairway/shared/schemas/session'
import { MCP_SCOPES } from '#fairway/shared/scopes'

/** Whether this is one of the configured tokens; takes the same time for all of them. */
export function isStaticToken(app: App, token: string): boolean {
  const hash = sha256(token)
  const same = app.config.mcp.staticTokenHashes.map(known => constantTimeEqual(known, hash))
  return same.includes(true)
}

/**
 * What a static token opens: everything, as the person of `FW_OWNER_EMAIL` in the organization they work in; null when there is no
 * such person, when the account opens nothing here, or whose address it is was never shown.
 */
export async function findStaticAccess(app: App): Promise<McpAccess | null> {
  const session = await findOwner(app)
  return session && { session, scopes: new Set(MCP_SCOPES), grantId: null, clientId: null }
}

async function findOwner(app: App): Promise<Session | null> {
  const { ownerEmail } = app.config.mcp
  if (!ownerEmail) return null
  // An unconfirmed account with the operator's address need not be the operator's.
  const mustBeConfirmed = !app.config.signIn.acceptsUnverified
  const acting = await actAs(app, { email: ownerEmail, mustBeConfirmed }, { provider: 'static-token' })
  return 'session' in acting ? acting.session : null
}

/** Warns at start about static tokens that open nothing. */
export async function warnAboutStaticTokens(app: App): Promise<void> {
  const { staticTokenHashes, ownerEmail } = app.config.mcp
  if (staticTokenHashes.length === 0) return
  if (!ownerEmail) app.log.warn('static bearer tokens open nothing: FW_OWNER_EMAIL is not set')
  else if (!(await findOwner(app)))
    app.log.warn('static bearer tokens open nothing yet: nobody has the address of FW_OWNER_EMAIL, or has confirmed it')
}
