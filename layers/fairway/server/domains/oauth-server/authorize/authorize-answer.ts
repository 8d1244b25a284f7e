import type { App } from '#fairway/server/kernel/app-context'
import type { ServerPage } from '#fairway/server/kernel/server-page/render-page'
import { redirectKind } from '../clients/redirect-uri'
import type { OAuthError } from '../oauth-error'
import { goBackPage } from './go-back-page'

/** What the authorization endpoint answers: a page, or an address to go to. */
export type AuthorizeAnswer = { page: ServerPage; status: number } | { location: string }

interface Target {
  redirectUri: string
  state: string | undefined
  clientName: string
}

/** Sends a code or a refusal to the client: with its state, and with who answers (RFC 9207). */
export async function answerClient(
  app: App,
  { redirectUri, state, clientName }: Target,
  answer: { code: string } | OAuthError,
): Promise<AuthorizeAnswer> {
  const members: Record<string, string> =
    'code' in answer ? { code: answer.code } : { error: answer.error, error_description: answer.description }
  const query = new URLSearchParams({ ...members, ...(state === undefined ? {} : { state }), iss: app.config.baseUrl })
  const location = withQuery(redirectUri, query)
  // A browser asks, or does nothing at all, when it is redirected to another program; a link that is pressed works everywhere.
  if (redirectKind(redirectUri) !== 'private-use') return { location }
  return { page: await goBackPage(app, { location, clientName, isApproved: 'code' in answer }), status: 200 }
}

// Appended and not parsed: the client gets its own address back byte for byte.
function withQuery(uri: string, query: URLSearchParams): string {
  if (!uri.includes('?')) return `${uri}?${query}`
  return /[?&]$/.test(uri) ? uri + query : `${uri}&${query}`
}
