import type { App } from '#fairway/server/kernel/app-context'
import { notePage } from '#fairway/server/kernel/server-page/note-page'
import type { PageAnswer, Visit } from '../authorization-endpoint'
import { redirectKind } from '../clients/redirect-uri'
import type { OAuthError } from '../oauth-error'
import { goBackPage, textsOf } from './consent-page'
import type { Language } from '#fairway/shared/languages'

interface Target {
  redirectUri: string
  state?: string | undefined
  clientName: string
}

/** Sends a code or a refusal to the client: with its state, and with who answers (RFC 9207). */
export async function answerClient(
  app: App,
  { redirectUri, state, clientName }: Target,
  answer: { code: string } | OAuthError,
  language?: Language,
): Promise<PageAnswer> {
  const members: Record<string, string> =
    'code' in answer ? { code: answer.code } : { error: answer.error, error_description: answer.description }
  const query = new URLSearchParams({ ...members, ...(state === undefined ? {} : { state }), iss: app.config.baseUrl })
  const location = withQuery(redirectUri, query)
  // A browser asks, or does nothing at all, when it is redirected to another program; a link that is pressed works everywhere.
  if (redirectKind(redirectUri) !== 'private-use') return { location }
  return { page: await goBackPage(app, { location, clientName, isApproved: 'code' in answer, language }), status: 200 }
}

// Appended and not parsed: the client gets its own address back byte for byte.
function withQuery(uri: string, query: URLSearchParams): string {
  if (!uri.includes('?')) return `${uri}?${query}`
  return /[?&]$/.test(uri) ? uri + query : `${uri}&${query}`
}

/** The refusal of a request whose client is not proven: a page of ours, sent to no address that the request names. */
export async function refusedAnswer(app: App, error: OAuthError, { requestId, language }: Visit): Promise<PageAnswer> {
  const texts = textsOf(language)
  const page = await notePage(app, {
    title: texts.refusedTitle,
    lead: texts.refusedLead,
    detail: error.description,
    code: `${error.error} · ${requestId}`,
    link: { href: '/', text: texts.toStart },
    language,
  })
  return { page, status: error.status }
}

/** The answer to a ticket or a pending request that opens nothing any more; `href` begins again. */
export async function endedAnswer(app: App, language: Language | undefined, href = '/'): Promise<PageAnswer> {
  const texts = textsOf(language)
  const link = { href, text: href === '/' ? texts.toStart : texts.startAgain }
  const page = await notePage(app, { title: texts.endedTitle, lead: texts.endedLead, link, language })
  return { page, status: 400 }
}

/** The answer to an approval that names no scope. */
export async function nothingChosenAnswer(app: App, language: Language | undefined, href: string): Promise<PageAnswer> {
  const texts = textsOf(language)
  const link = { href, text: texts.startAgain }
  const page = await notePage(app, { title: texts.nothingTitle, lead: texts.nothingLead, link, language })
  return { page, status: 400 }
}

interface Decision {
  decision: 'approved' | 'denied' | 'refused'
  /** As it was asked for; an unknown one is not repeated in full. */
  client?: string
  userId?: string
  orgId?: string
  scope?: string
  /** Why it was refused, in the RFC's word. */
  error?: string
  requestId: string
}

/** Writes what became of an authorization request into the log: one line, no secret, no address of a person. */
export function logDecision(app: App, decision: Decision): void {
  app.log.info('authorization decided', { ...decision, client: decision.client?.slice(0, 200) })
}
