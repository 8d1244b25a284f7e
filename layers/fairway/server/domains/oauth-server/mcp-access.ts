import type { ServerSession } from '#fairway/server/domains/sessions'
import type { UsedAt } from './grant-use'
import type { TokenScope } from '#fairway/shared/scopes'

/** The caller of `/mcp`: a person in one organization, through a host, with the scopes granted to it. Or a service account. */
export interface McpAccess {
  /** The person as actions see them. The organization is the grant's, not the one active in a browser. */
  session: ServerSession
  scopes: ReadonlySet<TokenScope>
  /** Whether `mcp:write` includes destructive tools. */
  mayDelete: boolean
  /**
   * Where destructive calls are approved first: in the host, or on our page where it cannot ask (`always`); only in a host that can
   * ask, for a person's own tokens and programs (`in-host`); nowhere (`never`).
   */
  asksFirst: 'always' | 'in-host' | 'never'
  /** Whether the organization limits apps and tokens to reading. They then lose `mcp:write` and `operator`, even if granted. */
  isReadOnly: boolean
  /** Null for static tokens; the ID of a service account. */
  grantId: string | null
  clientId: string | null
  /** When the grant was last used in each way; missing without a grant. */
  usedAt?: UsedAt
}
