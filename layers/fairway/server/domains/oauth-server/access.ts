import type { McpScope } from '#fairway/shared/scopes'
import type { Session } from '#fairway/shared/schemas/session'

/** Who calls `/mcp`: a person in one organization, through a host, with what was granted to it. */
export interface McpAccess {
  /** The person as actions see it; its organization is the grant's, not the one active in a browser. */
  session: Session
  scopes: ReadonlySet<McpScope>
  /** Null for static tokens. */
  grantId: string | null
  clientId: string | null
}
