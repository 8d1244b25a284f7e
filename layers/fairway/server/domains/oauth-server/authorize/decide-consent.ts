import type { App } from '#fairway/server/kernel/app-context'
import { messagesOf } from '#fairway/server/kernel/messages'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { notePage } from '#fairway/server/kernel/server-page/note-page'
import { OAUTH_AUTHORIZE_PATH } from '#fairway/shared/paths'
import { OFFLINE_ACCESS, type Scope, toolScopes } from '#fairway/shared/scopes'
import type { Session } from '#fairway/shared/schemas/session'
import { grantAndIssueCode } from '../issue-code'
import { OAuthError } from '../oauth-error'
import { type AuthorizeAnswer, answerClient } from './authorize-answer'
import { listConnectableOrgs } from './connectable-orgs'
import { type ConsentTicket, readTicket, spendTicket } from './consent-ticket'
import { logDecision } from './log-decision'
import { type AuthorizeVisit, endedPage } from './show-consent'
import { signInFirst } from './sign-in-first'

const texts = messagesOf('en').consent

type ConsentForm = Record<string, string>

interface Deciding {
  app: App
  ticket: ConsentTicket
  session: Session
  sessionId: string | null
  requestId: string
}

/** Carries out what a person decided on the consent page, once: a code or `access_denied` for the client, or a page that says why not. */
export async function decideConsent(app: App, visit: AuthorizeVisit, form: ConsentForm): Promise<AuthorizeAnswer> {
  const { session, sessionId, requestId } = visit
  if (!session) return { location: await signInFirst(app, { query: visit.query }) }
  const ticket = readTicket(app, form.ticket ?? '', { userId: session.userId, sessionId, query: visit.query })
  if (!ticket) return endedPage(app, visit.query ? OAUTH_AUTHORIZE_PATH + visit.query : '/')
  const again = OAUTH_AUTHORIZE_PATH + ticket.query
  if (form.decision !== 'approve' && form.decision !== 'deny') {
    throw new AppError('invalid-request', { detail: 'The decision is approve or deny.' })
  }
  const scope = chosenScopes(ticket, form)
  if (form.decision === 'approve' && toolScopes(scope).length === 0) return nothingChosenPage(app, again)
  if (!(await spendTicket(app, ticket))) return endedPage(app, again)
  const deciding = { app, ticket, session, sessionId, requestId }
  return form.decision === 'approve' ? approve(deciding, scope, form.org) : deny(deciding)
}

/** What was asked for and left ticked; reading has no box, and staying connected may be ticked unasked. */
function chosenScopes({ scopes }: ConsentTicket, form: ConsentForm): Scope[] {
  const chosen = toolScopes(scopes).filter(scope => scope === 'mcp:read' || form[scope] !== undefined)
  return form[OFFLINE_ACCESS] === undefined ? chosen : [...chosen, OFFLINE_ACCESS]
}

async function approve(deciding: Deciding, scope: Scope[], org: string | undefined): Promise<AuthorizeAnswer> {
  const { app, ticket, session, sessionId, requestId } = deciding
  const orgId = org ?? session.orgId ?? ''
  try {
    await checkOrg(app, session, orgId)
    const { clientId, clientName, resource, redirectUri, codeChallenge } = ticket
    const { userId, email, provider } = session
    const code = await grantAndIssueCode(app, {
      clientId,
      clientName,
      userId,
      email,
      provider,
      orgId,
      sessionId,
      scope,
      resource,
      redirectUri,
      codeChallenge,
    })
    logDecision(app, {
      decision: 'approved',
      client: clientId,
      userId,
      orgId,
      scope: scope.join(' '),
      requestId,
    })
    return await answerClient(app, ticketTarget(ticket), { code })
  } catch (error) {
    if (!(error instanceof OAuthError) || error.error !== 'access_denied') throw error
    logDecision(app, { decision: 'refused', ...whoDecides(deciding), error: error.error, requestId })
    return answerClient(app, ticketTarget(ticket), error)
  }
}

// Membership itself is checked once more in the statement that grants.
async function checkOrg(app: App, session: Session, orgId: string): Promise<void> {
  const org = (await listConnectableOrgs(app, session)).find(({ id }) => id === orgId)
  if (!org) throw new OAuthError('access_denied', 'The account may not connect apps in this organization.', 403)
  if (org.otherProvider === null) return
  throw new OAuthError('access_denied', `The organization asks for signing in with ${org.otherProvider}.`, 403)
}

function deny(deciding: Deciding): Promise<AuthorizeAnswer> {
  const { app, ticket, requestId } = deciding
  logDecision(app, { decision: 'denied', ...whoDecides(deciding), requestId })
  const refusal = new OAuthError('access_denied', 'The request was refused by the person.')
  return answerClient(app, ticketTarget(ticket), refusal)
}

const whoDecides = ({ ticket, session }: Deciding) => ({ client: ticket.clientId, userId: session.userId })

const ticketTarget = ({ redirectUri, state, clientName }: ConsentTicket) => ({ redirectUri, state, clientName })

async function nothingChosenPage(app: App, href: string): Promise<AuthorizeAnswer> {
  const link = { href, text: texts.startAgain }
  return { page: await notePage(app, { title: texts.nothingTitle, lead: texts.nothingLead, link }), status: 400 }
}
