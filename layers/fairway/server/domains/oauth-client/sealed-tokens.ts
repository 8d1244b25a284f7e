import type { App } from '#fairway/server/kernel/app-context'
import { seal, unseal, UnsealError } from '#fairway/server/kernel/crypto/seal'

/** What the tokens of connections are sealed for; each also to its row and its kind, so that none can be put in another's place. */
export const TOKEN_PURPOSE = 'provider-token'

export type TokenKind = 'access' | 'refresh'

/** The associated data of a token: the row that it belongs to and which of the two it is. */
export const tokenContext = (rowId: string, kind: TokenKind): string => `${rowId}/${kind}`

export const sealToken = (app: App, rowId: string, kind: TokenKind, token: string): string =>
  seal(app.config.keys, TOKEN_PURPOSE, token, tokenContext(rowId, kind))

/** The token, or null when no key of ours opens it; that is logged without the token. */
export function openToken(app: App, row: { rowId: string | null; provider: string }, kind: TokenKind, sealed: string) {
  try {
    return unseal(app.config.keys, TOKEN_PURPOSE, sealed, tokenContext(row.rowId ?? '', kind))
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error
    app.log.error('a provider token cannot be read', { provider: row.provider, kind, reason: error.message })
    return null
  }
}
