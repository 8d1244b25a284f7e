import { recordAudit } from '#fairway/server/domains/actions'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { fill } from '#fairway/server/kernel/messages'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { noteAnswer } from '#fairway/server/kernel/server-page/note-page'
import { OAUTH_AUTHORIZE_PATH } from '#fairway/shared/paths'
import type { Session } from '#fairway/shared/schemas/session'
import type { Language } from '#fairway/shared/languages'
import { ASK_FIRST, DELETE, OFFLINE_ACCESS, type Scope, toolScopes } from '#fairway/shared/scopes'
import { type PageAnswer, readParameters, type Visit } from '../authorization-endpoint'
import { NOT_REGISTERED } from '../clients/client-metadata'
import { redirectKind } from '../clients/redirect-uri'
import { isKnownClient, noteClientUse } from '../clients/registration'
import { grantAndIssueCode } from '../code-grant'
import { refuseDevice } from '../device/device-codes'
import { deviceAnswer } from '../device/device-page'
import { listConnectableOrgs } from '../grants'
import { OAuthError } from '../oauth-error'
import {
  type AuthorizeRequest,
  checkRequest,
  type ProvenClient,
  proveClient,
  invalidRequest,
} from './authorize-request'
import { consentPage, denyForm, forgetSteps, goBackPage, textsOf } from './consent-page'
import type { AuthorizeVisit } from './consent-visit'
import { findCurrentGrant } from './scope-preset'
import { type ConsentTicket, findRequest, issueTicket, readTicket, signInFirst, spendTicket } from './consent-ticket'

/**
 * Shows the consent page, redirects to the sign-in page, or refuses. A refusal goes to the client once it is proven, and is a
 * page before.
 */
export async function showConsent(app: App, visit: AuthorizeVisit): Promise<PageAnswer> {
  const request = await findRequest(app, visit.query)
  if (!request) return beginAgain(app, 'ended', '/', visit.language)
  let clientId: string | undefined
  let proven: ProvenClient | undefined
  try {
    const parameters = readParameters(request.query, invalidRequest)
    clientId = parameters.get('client_id')
    proven = await proveClient(app, parameters, addressKey(visit.clientAddress))
    return await showRequest(app, visit, checkRequest(app, proven, parameters), request.keptAt)
  } catch (error) {
    if (!(error instanceof OAuthError) || error.status >= 500) throw error
    const { requestId, language } = visit
    logDecision(app, { decision: 'refused', client: clientId, error: error.error, requestId })
    if (!proven) return refusedAnswer(app, error, visit, clientId)
    return answerClient(app, { ...proven, clientName: nameOf(proven, language) }, error, language)
  }
}

const nameOf = ({ client }: ProvenClient, language: Language | undefined): string =>
  client.name ?? textsOf(language).unnamed

async function showRequest(
  app: App,
  visit: AuthorizeVisit,
  request: AuthorizeRequest,
  keptAt: Date | undefined,
): Promise<PageAnswer> {
  const { session, query } = visit
  const { prompts, client } = request
  if (prompts.has('none')) {
    throw session
      ? new OAuthError('consent_required', 'Consent is asked for each time.')
      : new OAuthError('login_required', 'The person is not signed in.')
  }
  const mustSignInAgain = prompts.has('login') && !hasSignedInSince(visit, keptAt)
  if (!session || mustSignInAgain) {
    return { location: await signInFirst(app, { query, again: mustSignInAgain, timed: mustSignInAgain }) }
  }
  if (client.source === 'registered') await noteClientUse(app, client.id)
  return askPerson(app, { ...visit, session }, request)
}

function hasSignedInSince({ session, signedInAt }: AuthorizeVisit, keptAt: Date | undefined): boolean {
  if (!session) return false
  if (!signedInAt) throw new OAuthError('login_required', 'It is not known when the person signed in.')
  return keptAt !== undefined && signedInAt >= keptAt
}

/** Shows the consent page for a request that was checked, or says why the person cannot connect an app. */
export async function askPerson(
  app: App,
  { path, query, session, sessionId, clientAddress, language }: AuthorizeVisit & { session: Session },
  request: AuthorizeRequest,
): Promise<PageAnswer> {
  const texts = textsOf(language)
  const clientName = nameOf(request, language)
  const ticket = issueTicket(app, { userId: session.userId, sessionId, query }, request, clientName)
  const { orgId } = request.client
  const all = await listConnectableOrgs(app, session)
  const orgs = all.filter(({ id }) => orgId === undefined || id === orgId)
  const [first, ...others] = orgs.filter(org => org.otherProvider === null)
  const otherAccountHref = await signInFirst(app, { path, query, again: true })
  if (first) {
    const current = await findCurrentGrant(app, session.userId, request.client.id)
    const shown = { request, current, clientName, session, ticket, otherAccountHref, clientAddress, language }
    return { page: await consentPage(app, { ...shown, orgs: [first, ...others] }), status: 200 }
  }
  const besides = denyForm(ticket, texts.deny)
  const [shutOut] = orgs
  if (!shutOut) {
    const link = { href: '/team', text: texts.toTeam }
    return noteAnswer(app, 403, { title: texts.noOrgTitle, lead: texts.noOrgLead, link, besides, language })
  }
  const lead = fill(texts.providerLead, { org: shutOut.name, provider: shutOut.otherProvider ?? '' })
  const link = { href: otherAccountHref, text: texts.signIn }
  const note = { title: texts.providerTitle, lead, code: 'provider-required', link, besides, language }
  return noteAnswer(app, 403, note)
}

type ConsentForm = Record<string, string>

/**
 * Carries out a person's decision on the consent page, once. Returns a code or `access_denied` for the client, or a page with the
 * reason why not.
 */
export async function decideConsent(app: App, visit: AuthorizeVisit, form: ConsentForm): Promise<PageAnswer> {
  const { session, sessionId, query, path = OAUTH_AUTHORIZE_PATH, language } = visit
  if (!session) return { location: await signInFirst(app, { path, query }) }
  const ticket = readTicket(app, form.ticket ?? '', { userId: session.userId, sessionId, query })
  if (!ticket) return beginAgain(app, 'ended', query ? path + query : '/', language)
  const again = path + ticket.query
  if (form.decision !== 'approve' && form.decision !== 'deny') {
    throw new AppError('invalid-request', { detail: 'The decision is approve or deny.' })
  }
  const scope = chosenScopes(ticket, form)
  const isEmpty = form.decision === 'approve' && toolScopes(scope).length === 0
  if (isEmpty) return beginAgain(app, 'nothing', again, language)
  if (!(await spendTicket(app, ticket))) return beginAgain(app, 'ended', again, language)
  const decided = { ...visit, session, ticket }
  if (form.decision === 'deny') return deny(app, decided)
  return approve(app, decided, { scope, org: form.org, ...chosenDeletion(form) })
}

const chosenDeletion = (form: ConsentForm): Pick<Approved, 'mayDelete' | 'asksFirst'> => {
  const mayDelete = form[DELETE] !== undefined
  return { mayDelete, asksFirst: !mayDelete || form[ASK_FIRST] !== undefined }
}

/** The requested scopes that stayed ticked. Reading has no checkbox, and staying connected may be ticked without a request. */
function chosenScopes({ scopes }: ConsentTicket, form: ConsentForm): Scope[] {
  const chosen = toolScopes(scopes).filter(scope => scope === 'mcp:read' || form[scope] !== undefined)
  return form[OFFLINE_ACCESS] === undefined ? chosen : [...chosen, OFFLINE_ACCESS]
}

type Decided = AuthorizeVisit & { session: Session; ticket: ConsentTicket }

interface Approved {
  scope: Scope[]
  org: string | undefined
  /** Whether destructive tools were allowed; no effect without `mcp:write`. */
  mayDelete: boolean
  /** Whether the person is asked before those run. */
  asksFirst: boolean
}

async function approve(app: App, decided: Decided, { org, ...chosen }: Approved): Promise<PageAnswer> {
  const { ticket, session, sessionId, requestId, language } = decided
  const { userId, email, provider, providerDomain, provedSecondFactor } = session
  const orgId = org ?? session.orgId ?? ''
  const decision = { client: ticket.clientId, userId, requestId }
  try {
    await checkOrg(app, session, orgId)
    const proof = { userId, email, provider, providerDomain, provedSecondFactor, sessionId }
    const code = await grantAndIssueCode(app, { ...ticket, ...proof, ...chosen, orgId })
    logDecision(app, { decision: 'approved', ...decision, orgId, scope: chosen.scope.join(' ') })
    if (ticket.device) await recordDevice(app, decided, orgId)
    return await answerClient(app, ticket, { code }, language)
  } catch (error) {
    if (!(error instanceof OAuthError) || error.error !== 'access_denied') throw error
    logDecision(app, { decision: 'refused', ...decision, error: error.error })
    return answerClient(app, ticket, error, language)
  }
}

/** Devices are approved away from where they ask, so the organization sees by whom and from where. */
function recordDevice(app: App, { ticket, session, requestId }: Decided, orgId: string): Promise<void> {
  const input = { app: ticket.clientName, askedFrom: ticket.device?.askedFrom }
  const row = { action: 'connect-device', caller: 'http', session, orgId, requestId } as const
  return recordAudit(app, { ...row, input, keeps: Object.keys(input) })
}

// The statement that creates the grant checks the membership once more.
async function checkOrg(app: App, session: Session, orgId: string): Promise<void> {
  const org = (await listConnectableOrgs(app, session)).find(({ id }) => id === orgId)
  if (!org) throw new OAuthError('access_denied', 'The account may not connect apps in this organization.', 403)
  if (org.otherProvider === null) return
  throw new OAuthError('access_denied', `The organization asks for signing in with ${org.otherProvider}.`, 403)
}

function deny(app: App, { ticket, session, requestId, language }: Decided): Promise<PageAnswer> {
  logDecision(app, { decision: 'denied', client: ticket.clientId, userId: session.userId, requestId })
  const refusal = new OAuthError('access_denied', 'The request was refused by the person.')
  return answerClient(app, ticket, refusal, language)
}

/** Sends a code or a refusal to the client, with its state and our issuer (RFC 9207). A device fetches its answer itself. */
async function answerClient(
  app: App,
  { redirectUri, state, clientName, device }: Pick<ConsentTicket, 'redirectUri' | 'state' | 'clientName' | 'device'>,
  answer: { code: string } | OAuthError,
  language?: Language,
): Promise<PageAnswer> {
  if (device) {
    const outcome = 'code' in answer ? 'approved' : (await refuseDevice(app, device.hash)) ? 'refused' : 'ended'
    return deviceAnswer(app, outcome, clientName, language)
  }
  const members: Record<string, string> =
    'code' in answer ? { code: answer.code } : { error: answer.error, error_description: answer.description }
  const query = new URLSearchParams({ ...members, ...(state === undefined ? {} : { state }), iss: app.config.baseUrl })
  const location = withQuery(redirectUri, query)
  // On a redirect to another program, a browser asks or does nothing. A link that the person clicks works everywhere.
  if (redirectKind(redirectUri) !== 'private-use') return { location }
  return { page: await goBackPage(app, { location, clientName, isApproved: 'code' in answer, language }), status: 200 }
}

// Appended without parsing, so that the client gets its own address back byte for byte.
function withQuery(uri: string, query: URLSearchParams): string {
  if (!uri.includes('?')) return `${uri}?${query}`
  return /[?&]$/.test(uri) ? uri + query : `${uri}&${query}`
}

/**
 * The refusal of a request whose client is not proven: a page of this server. It is never sent to an address of the request. For
 * a client that is not known, it says how each host forgets its registration.
 */
async function refusedAnswer(
  app: App,
  error: OAuthError,
  { requestId, language }: Visit,
  clientId: string | undefined,
) {
  const texts = textsOf(language)
  const isUnknown = error.error === 'invalid_client' && !(await isKnownClient(app, clientId ?? ''))
  return noteAnswer(app, error.status, {
    title: texts.refusedTitle,
    lead: isUnknown ? fill(texts.unknownLead, { product: app.config.name }) : texts.refusedLead,
    detail: error.description === NOT_REGISTERED ? undefined : error.description,
    code: `${error.error} · ${requestId}`,
    ...(isUnknown ? { besides: forgetSteps(texts) } : { link: { href: '/', text: texts.toStart } }),
    language,
  })
}

/** The response to an expired or used ticket or pending request, or to an approval without scopes. `href` starts again. */
function beginAgain(app: App, why: 'ended' | 'nothing', href: string, language: Language | undefined) {
  const texts = textsOf(language)
  const link = { href, text: href === '/' ? texts.toStart : texts.startAgain }
  return noteAnswer(app, 400, { title: texts[`${why}Title`], lead: texts[`${why}Lead`], link, language })
}

interface Decision {
  decision: 'approved' | 'denied' | 'refused'
  /** As requested; an unknown one is shortened. */
  client?: string
  userId?: string
  orgId?: string
  scope?: string
  /** The OAuth error code of the refusal. */
  error?: string
  requestId: string
}

/** Logs the outcome of an authorization request in one line, without secrets and email addresses. */
function logDecision(app: App, decision: Decision): void {
  app.log.info('authorization decided', { ...decision, client: decision.client?.slice(0, 200) })
}
