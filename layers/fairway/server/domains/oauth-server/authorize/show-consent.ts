import type { App } from '#fairway/server/kernel/app-context'
import { fill, messagesOf } from '#fairway/server/kernel/messages'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { notePage } from '#fairway/server/kernel/server-page/note-page'
import type { Session } from '#fairway/shared/schemas/session'
import { OAuthError } from '../oauth-error'
import { denyForm } from './deny-form'
import { type AuthorizeAnswer, answerClient } from './authorize-answer'
import { type AuthorizeRequest, checkRequest, type ProvenClient, proveClient } from './authorize-request'
import { listConnectableOrgs } from './connectable-orgs'
import { consentPage } from './consent-page'
import { issueTicket } from './consent-ticket'
import { logDecision } from './log-decision'
import { readParameters } from './parameters'
import { findKeptRequest, namesKeptRequest } from './pending-request'
import { noteClientUse } from '../clients/registered-clients'
import { signInFirst } from './sign-in-first'

const texts = messagesOf('en').consent

/** One visit of the authorization endpoint. */
export interface AuthorizeVisit {
  /** The query with its question mark, as it was sent. */
  query: string
  session: Session | null
  sessionId: string | null
  /** When the person last proved who they are; null when nobody can tell. */
  signedInAt: Date | null
  clientAddress: string
  requestId: string
}

/** What the authorization endpoint shows: the consent page, the way to the sign-in page, or a refusal (to the client once it is proven, as a page before). */
export async function showConsent(app: App, visit: AuthorizeVisit): Promise<AuthorizeAnswer> {
  const kept = namesKeptRequest(visit.query) ? await findKeptRequest(app, visit.query) : undefined
  if (kept === null) return endedPage(app)
  let clientId: string | undefined
  try {
    const parameters = readParameters(kept?.query ?? visit.query)
    clientId = parameters.get('client_id')
    const proven = await proveClient(app, parameters, addressKey(visit.clientAddress))
    try {
      const request = checkRequest(app, proven, parameters)
      return await showRequest(app, visit, request, kept?.createdAt)
    } catch (error) {
      if (!(error instanceof OAuthError) || error.status >= 500) throw error
      logDecision(app, { decision: 'refused', client: clientId, error: error.error, requestId: visit.requestId })
      return await answerClient(app, { ...proven, clientName: nameOf(proven) }, error)
    }
  } catch (error) {
    if (!(error instanceof OAuthError) || error.status >= 500) throw error
    logDecision(app, { decision: 'refused', client: clientId, error: error.error, requestId: visit.requestId })
    return refusedPage(app, error, visit.requestId)
  }
}

/** The page for a ticket that opens nothing any more. */
export async function endedPage(app: App, href = '/', status = 400): Promise<AuthorizeAnswer> {
  const link = { href, text: href === '/' ? texts.toStart : texts.startAgain }
  return { page: await notePage(app, { title: texts.endedTitle, lead: texts.endedLead, link }), status }
}

const nameOf = ({ client }: ProvenClient): string => client.name ?? texts.unnamed

async function refusedPage(app: App, error: OAuthError, requestId: string): Promise<AuthorizeAnswer> {
  const page = await notePage(app, {
    title: texts.refusedTitle,
    lead: texts.refusedLead,
    detail: error.description,
    code: `${error.error} · ${requestId}`,
    link: { href: '/', text: texts.toStart },
  })
  return { page, status: error.status }
}

async function showRequest(
  app: App,
  visit: AuthorizeVisit,
  request: AuthorizeRequest,
  keptAt: Date | undefined,
): Promise<AuthorizeAnswer> {
  const { session, query } = visit
  const { prompts, client } = request
  if (prompts.has('none')) {
    throw session
      ? new OAuthError('consent_required', 'Consent is asked for each time.')
      : new OAuthError('login_required', 'Nobody is signed in.')
  }
  const mustSignInAgain = prompts.has('login') && !hasSignedInSince(visit, keptAt)
  if (!session || mustSignInAgain) {
    return { location: await signInFirst(app, { query, again: mustSignInAgain, timed: mustSignInAgain }) }
  }
  if (client.source === 'registered') await noteClientUse(app, client.id)
  return consent(app, { ...visit, session }, request)
}

function hasSignedInSince({ session, signedInAt }: AuthorizeVisit, keptAt: Date | undefined): boolean {
  if (!session) return false
  if (!signedInAt) throw new OAuthError('login_required', 'Nobody can tell when the person signed in.')
  return keptAt !== undefined && signedInAt >= keptAt
}

async function consent(
  app: App,
  { query, session, sessionId }: AuthorizeVisit & { session: Session },
  request: AuthorizeRequest,
): Promise<AuthorizeAnswer> {
  const clientName = nameOf(request)
  const ticket = issueTicket(app, { userId: session.userId, sessionId, query }, request, clientName)
  const orgs = await listConnectableOrgs(app, session)
  const [first, ...others] = orgs.filter(org => org.otherProvider === null)
  const otherAccountHref = await signInFirst(app, { query, again: true })
  if (first) {
    const state = { request, clientName, session, orgs: [first, ...others] as [typeof first], ticket, otherAccountHref }
    return { page: await consentPage(app, state), status: 200 }
  }
  const besides = denyForm(ticket, texts.cancel)
  const [shutOut] = orgs
  if (!shutOut) {
    const link = { href: '/team', text: texts.toTeam }
    return { page: await notePage(app, { title: texts.noOrgTitle, lead: texts.noOrgLead, link, besides }), status: 403 }
  }
  const lead = fill(texts.providerLead, { org: shutOut.name, provider: shutOut.otherProvider ?? '' })
  const link = { href: otherAccountHref, text: texts.signIn }
  const page = await notePage(app, { title: texts.providerTitle, lead, code: 'provider-required', link, besides })
  return { page, status: 403 }
}
