import type { Config } from '#server/foundation/config/config'
import { MCP_PATH } from '#shared/paths'

/** The exact address of the protected endpoint: what tokens are for, and what `resource` must name. */
export const mcpUrl = ({ baseUrl }: Pick<Config, 'baseUrl'>): string => baseUrl + MCP_PATH
