import type { Config } from '#fairway/server/kernel/config/config'
import { MCP_PATH } from '#fairway/shared/paths'
import { OAuthError } from './oauth-error'

/** The exact address of the protected endpoint: what tokens are for. */
export const mcpUrl = ({ baseUrl }: Pick<Config, 'baseUrl'>): string => baseUrl + MCP_PATH

/**
 * Throws `invalid_target` for a resource that is not ours (RFC 8707 §2). Every address of this origin means the endpoint, since there
 * is nothing else to get a token for; one for another server is never issued, or that server could have our tokens sent to it.
 */
export function checkResource(config: Pick<Config, 'baseUrl'>, resource: string | undefined): void {
  if (resource === undefined || URL.parse(resource)?.origin === config.baseUrl) return
  throw new OAuthError('invalid_target', `The resource of this server is ${mcpUrl(config)}.`)
}
