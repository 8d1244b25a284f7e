import { sha256 } from '../crypto/hash'
import type { Env } from './env'

export interface McpConfig {
  /** Origins besides our own whose pages may call `/mcp`. */
  allowedOrigins: readonly string[]
  /** SHA-256 of each static bearer token; the tokens themselves are not kept. */
  staticTokenHashes: readonly string[]
  /** Whom static bearer tokens act as. */
  ownerEmail: string | null
}

/** The settings of the protected remote endpoint. */
export const mcpConfig = (env: Env): McpConfig => ({
  allowedOrigins: env.FW_MCP_ALLOWED_ORIGINS ?? [],
  staticTokenHashes: [...(env.ACCESS_TOKEN ? [env.ACCESS_TOKEN] : []), ...(env.ACCESS_TOKENS ?? [])].map(token =>
    sha256(token),
  ),
  ownerEmail: env.FW_OWNER_EMAIL ?? null,
})
