/** @jsxImportSource vue */
import type { VNode } from 'vue'
import type { App } from '#fairway/server/kernel/app-context'
import { cardPage, oneClickScript } from '#fairway/server/kernel/server-page/note-page'
import { fill, messagesOf } from '#fairway/server/kernel/messages'
import { type ServerPage, renderPage } from '#fairway/server/kernel/server-page/render-page'
import { type McpScope, OFFLINE_ACCESS, SCOPE_WORDS, toolScopes } from '#fairway/shared/scopes'
import type { Session } from '#fairway/shared/schemas/session'
import type { OAuthClient } from '../clients/client-metadata'
import { redirectKind, staysOnComputer } from '../clients/redirect-uri'
import type { ConnectableOrg } from '../grants'
import type { AuthorizeRequest } from './authorize-request'
const texts = messagesOf('en').consent

interface ConsentPageState {
  request: AuthorizeRequest
  clientName: string
  session: Session
  /** Those that may be chosen, the first one beforehand. */
  orgs: [ConnectableOrg, ...ConnectableOrg[]]
  ticket: string
  /** Where one signs in as another person. */
  otherAccountHref: string
}

/** The page on which a person decides whether an app may act for them; it works without JavaScript. */
export function consentPage(app: App, state: ConsentPageState): Promise<ServerPage> {
  const { request, clientName, orgs, ticket } = state
  const children = [
    <Facts state={state} />,
    <Warning client={request.client} redirectUri={request.redirectUri} />,
    // A form without an action posts to the page's own address, so the request rides along in the query.
    <form method="post">
      <input type="hidden" name="ticket" value={ticket} />
      <OrgChoice orgs={orgs} />
      <Scopes request={request} lifeInSeconds={app.config.oauth.accessTokenLifeInSeconds} />
      <button name="decision" value="approve">
        {texts.allow}
      </button>
      <button name="decision" value="deny" class="quiet">
        {texts.cancel}
      </button>
    </form>,
    <p class="foot">{texts.ending}</p>,
  ]
  const lead = fill(texts.lead, { client: clientName, product: app.config.name })
  return cardPage(app, {
    page: 'consent',
    title: fill(texts.title, { client: clientName }),
    lead,
    children,
    script: oneClickScript,
  })
}

/** Where the browser goes afterwards, in a few words. */
function destinationOf(redirectUri: string): string {
  if (redirectKind(redirectUri) === 'private-use')
    return fill(texts.onThisComputer, { where: redirectUri.replace(/(:(?:\/\/)?).*$/, '$1') })
  const { host } = new URL(redirectUri)
  return staysOnComputer(redirectUri) ? fill(texts.onThisComputer, { where: host }) : host
}

function Facts({ state }: { state: ConsentPageState }) {
  const { request, clientName, session, orgs, otherAccountHref } = state
  const { client, redirectUri } = request
  return (
    <dl>
      <dt>{texts.app}</dt>
      <dd>
        <strong>{clientName}</strong>
        <br />
        {client.host === null ? texts.fromRegistration : fill(texts.fromDocument, { host: client.host })}
      </dd>
      <dt>{texts.account}</dt>
      <dd>
        <strong>{session.email}</strong>
        <br />
        <a href={otherAccountHref}>{texts.otherAccount}</a>
      </dd>
      {orgs.length === 1 ? (
        <>
          <dt>{texts.organization}</dt>
          <dd>
            <strong>{orgs[0].name}</strong>
          </dd>
        </>
      ) : null}
      <dt>{texts.goesTo}</dt>
      <dd>{destinationOf(redirectUri)}</dd>
    </dl>
  )
}

function Warning({ client, redirectUri }: { client: OAuthClient; redirectUri: string }) {
  const isUnknown = client.source === 'registered'
  const isOnComputer = staysOnComputer(redirectUri)
  if (!isUnknown && !isOnComputer) return null
  const { unknown, onComputer, both } = texts.warning
  return <p class="banner">{isUnknown && isOnComputer ? both : isUnknown ? unknown : onComputer}</p>
}

function OrgChoice({ orgs }: { orgs: readonly ConnectableOrg[] }) {
  if (orgs.length === 1) return <input type="hidden" name="org" value={orgs[0]?.id} />
  return (
    <div class="field">
      <label for="org">{texts.organization}</label>
      <select id="org" name="org">
        {orgs.map(({ id, name }) => (
          <option value={id} key={id}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}

function Scopes({ request, lifeInSeconds }: { request: AuthorizeRequest; lifeInSeconds: number }) {
  const { scopes, client } = request
  // Many hosts ask for the scopes of the challenge and no others, so what they registered counts too.
  const staysConnected = scopes.includes(OFFLINE_ACCESS) || client.renews
  return (
    <fieldset>
      <legend>{texts.scopes}</legend>
      {toolScopes(scopes).map(scope =>
        scope === 'mcp:read' ? (
          <Fixed scope={scope} />
        ) : (
          <Choice name={scope} text={SCOPE_WORDS[scope]} hint={texts.scopeHint[scope]} />
        ),
      )}
      <Choice name={OFFLINE_ACCESS} text={texts.keep} hint={keepHint(lifeInSeconds)} isTicked={staysConnected} />
    </fieldset>
  )
}

function keepHint(lifeInSeconds: number): string {
  const { hour, minute, minutes } = texts.keepHintTime
  const count = Math.round(lifeInSeconds / 60)
  return fill(texts.keepHint, { time: count === 60 ? hour : count === 1 ? minute : fill(minutes, { count }) })
}

const Fixed = ({ scope }: { scope: McpScope }) => (
  <p class="check">
    <span aria-hidden="true" class="mark">
      ✓
    </span>
    <span>
      {SCOPE_WORDS[scope]}
      <small>{texts.scopeHint[scope]}</small>
    </span>
  </p>
)

interface ChoiceProps {
  name: McpScope | typeof OFFLINE_ACCESS
  text: string
  hint: string
  isTicked?: boolean
}

const Choice = ({ name, text, hint, isTicked = true }: ChoiceProps) => (
  <label class="check">
    <input type="checkbox" name={name} value="on" checked={isTicked} />
    <span>
      {text}
      <small>{hint}</small>
    </span>
  </label>
)

/** The button that says no to an app, for pages without one that says yes. */
export const denyForm = (ticket: string, text: string): VNode => (
  <form method="post" class="below">
    <input type="hidden" name="ticket" value={ticket} />
    <button name="decision" value="deny" class="quiet">
      {text}
    </button>
  </form>
)

interface GoBack {
  location: string
  clientName: string
  isApproved: boolean
}

/** The page whose link leads back to an app that has an address of its own kind, for example `cursor://`. */
export function goBackPage(app: App, { location, clientName, isApproved }: GoBack): Promise<ServerPage> {
  const title = isApproved ? texts.approvedTitle : texts.notConnectedTitle
  const body = (
    <div class="card">
      <h1>{title}</h1>
      <p class="lead">{fill(texts.goBackLead, { client: clientName })}</p>
      <a class="button" href={location}>
        {fill(texts.goBack, { client: clientName })}
      </a>
      <p class="foot">{texts.goBackHint}</p>
    </div>
  )
  return renderPage(app, { page: 'consent', title, language: 'en', body })
}
