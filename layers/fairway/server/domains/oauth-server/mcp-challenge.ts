import type { Config } from '#fairway/server/kernel/config/config'
import { MCP_PATH, WELL_KNOWN_PREFIX } from '#fairway/shared/paths'
import { DEFAULT_SCOPES, type McpScope } from '#fairway/shared/scopes'

export interface ChallengeInput {
  /** `invalid_token` when a token came, `insufficient_scope` when it may not do this; none when none came. */
  error?: 'invalid_token' | 'insufficient_scope' | 'invalid_request'
  /** What a token is needed for; the default scopes when not given. */
  scope?: readonly McpScope[]
}

/** The `WWW-Authenticate` value that leads a host to the metadata (RFC 6750 §3, RFC 9728 §5.1). */
export function mcpChallenge({ baseUrl }: Pick<Config, 'baseUrl'>, { error, scope }: ChallengeInput = {}): string {
  const metadata = `${baseUrl}${WELL_KNOWN_PREFIX}/oauth-protected-resource${MCP_PATH}`
  const wanted = (scope ?? DEFAULT_SCOPES).join(' ')
  return [`Bearer resource_metadata="${metadata}"`, `scope="${wanted}"`, ...(error ? [`error="${error}"`] : [])].join(
    ', ',
  )
}
