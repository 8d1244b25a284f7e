/** @jsxImportSource vue */
import type { VNode } from 'vue'
import type { App } from '#fairway/server/kernel/app-context'
import { cardPage, MarkPair, oneClickScript } from '#fairway/server/kernel/server-page/note-page'
import { fill, fillCount, messagesOf } from '#fairway/server/kernel/messages'
import type { ServerPage } from '#fairway/server/kernel/server-page/render-page'
import type { Language } from '#fairway/shared/languages'
import { DELETE, type McpScope, OFFLINE_ACCESS, toolScopes } from '#fairway/shared/scopes'
import type { Session } from '#fairway/shared/schemas/session'
import { redirectKind, staysOnComputer } from '../clients/redirect-uri'
import type { ConnectableOrg } from '../grants'
import type { AuthorizeRequest } from './authorize-request'
import { type ClientRisk, riskOf } from './client-risk'

/** The texts of the consent pages. */
export const textsOf = (language: Language = 'en') => messagesOf(language).consent
type Texts = ReturnType<typeof textsOf>

interface ConsentPageState {
  request: AuthorizeRequest
  clientName: string
  session: Session
  /** Those that may be chosen, the first one beforehand. */
  orgs: [ConnectableOrg, ...ConnectableOrg[]]
  ticket: string
  /** Where one signs in as another person. */
  otherAccountHref: string
  language: Language | undefined
}

/** The page on which a person decides whether an app may act for them; it works without JavaScript. */
export function consentPage(app: App, state: ConsentPageState): Promise<ServerPage> {
  const { request, clientName, session, orgs, ticket, otherAccountHref, language } = state
  const texts = textsOf(language)
  const risk = riskOf(request.client, request.redirectUri, app.config.name)
  const children = [
    <p class="person">
      <strong>{session.email}</strong>
      <a href={otherAccountHref}>{texts.otherAccount}</a>
    </p>,
    <Warning risk={risk} state={state} />,
    // A form without an action posts to the page's own address, so the request rides along in the query.
    <form method="post">
      <input type="hidden" name="ticket" value={ticket} />
      <OrgChoice orgs={orgs} texts={texts} />
      <Scopes app={app} request={request} isRisky={risk !== undefined} language={language} />
      <p>
        <Stressed text={texts.goesTo} slot="where" value={destinationOf(request.redirectUri, texts)} />
      </p>
      <button name="decision" value="approve">
        {fill(texts.allow, { client: clientName })}
      </button>
      <button name="decision" value="deny" class="quiet">
        {texts.deny}
      </button>
    </form>,
    <p class="foot">{texts.ending}</p>,
  ]
  return cardPage(app, {
    page: 'consent',
    title: fill(texts.title, { client: clientName }),
    lead: fill(texts.lead, { client: clientName, product: app.config.name }),
    mark: <MarkPair app={app} name={clientName} />,
    byline: <Origin request={request} texts={texts} />,
    children,
    script: oneClickScript,
    language,
  })
}

/** The domain that publishes an app, where it was verified. */
const Origin = ({ request: { client }, texts }: { request: AuthorizeRequest; texts: Texts }) => (
  <p class="origin">
    {client.host === null ? (
      texts.fromRegistration
    ) : (
      <Stressed text={texts.fromDocument} slot="host" value={client.host} />
    )}
  </p>
)

/** A sentence with its one value in bold. */
function Stressed({ text, slot, value }: { text: string; slot: string; value: string }) {
  const [before, after] = text.split(`{${slot}}`)
  return (
    <>
      {before}
      <strong dir="auto">{value}</strong>
      {after}
    </>
  )
}

/** Where the browser goes afterwards, in a few words. */
function destinationOf(redirectUri: string, texts: Texts): string {
  if (redirectKind(redirectUri) === 'private-use') return fill(texts.onThisComputer, { where: schemeOf(redirectUri) })
  const { host } = new URL(redirectUri)
  return staysOnComputer(redirectUri) ? fill(texts.onThisComputer, { where: host }) : host
}

/** What an address begins with, for example `cursor://`. */
const schemeOf = (redirectUri: string): string => redirectUri.replace(/(:(?:\/\/)?).*$/, '$1')

/** What is out of the ordinary about this request; nothing for most. */
function Warning({ risk, state }: { risk: ClientRisk | undefined; state: ConsentPageState }) {
  const { request, clientName, language } = state
  if (!risk) return null
  const texts = textsOf(language)
  const where = risk === 'private-use' ? schemeOf(request.redirectUri) : destinationOf(request.redirectUri, texts)
  return <p class="banner">{fill(texts.risk[risk], { client: clientName, where })}</p>
}

function OrgChoice({ orgs, texts }: { orgs: readonly ConnectableOrg[]; texts: Texts }) {
  if (orgs.length === 1) {
    return (
      <>
        <input type="hidden" name="org" value={orgs[0]?.id} />
        <p class="note">
          {texts.organization}: <strong>{orgs[0]?.name}</strong>
        </p>
      </>
    )
  }
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

interface ScopesProps {
  app: App
  request: AuthorizeRequest
  /** Whether the page warns of the app. */
  isRisky: boolean
  language: Language | undefined
}

function Scopes({ app, request, isRisky, language }: ScopesProps) {
  const { scopes, client } = request
  const texts = textsOf(language)
  const hint = keepHint(app.config.oauth.accessTokenLifeInSeconds, language)
  // Many hosts ask for the scopes of the challenge and no others, so what they registered counts too.
  const staysConnected = !isRisky && (scopes.includes(OFFLINE_ACCESS) || client.renews)
  return (
    <fieldset>
      <legend>{texts.scopes}</legend>
      {toolScopes(scopes).map(scope => (
        <ScopeChoice scope={scope} texts={texts} />
      ))}
      <Choice name={OFFLINE_ACCESS} text={texts.keep} hint={hint} isTicked={staysConnected} />
    </fieldset>
  )
}

/** What one scope allows: reading has no box, and writing has two, the second of which the style sheet shows while the first is ticked. */
function ScopeChoice({ scope, texts }: { scope: McpScope; texts: Texts }) {
  if (scope === 'mcp:read') return <Fixed text={texts.scope[scope]} hint={texts.scopeHint[scope]} />
  const choice = <Choice name={scope} text={texts.scope[scope]} hint={texts.scopeHint[scope]} />
  if (scope !== 'mcp:write') return choice
  return (
    <>
      {choice}
      <Choice name={DELETE} text={texts.delete} hint={texts.deleteHint} isTicked={false} dependsOnLast />
    </>
  )
}

function keepHint(lifeInSeconds: number, language: Language | undefined): string {
  const { keepHint: hint, keepHintTime } = textsOf(language)
  const { hour, minute, minutes } = keepHintTime
  const count = Math.round(lifeInSeconds / 60)
  return fill(hint, { time: count === 60 ? hour : count === 1 ? minute : fillCount(minutes, { count }, language) })
}

const Fixed = ({ text, hint }: { text: string; hint: string }) => (
  <p class="check">
    <span aria-hidden="true" class="mark">
      ✓
    </span>
    <span>
      {text}
      <small>{hint}</small>
    </span>
  </p>
)

interface ChoiceProps {
  name: McpScope | typeof OFFLINE_ACCESS | typeof DELETE
  text: string
  hint: string
  isTicked?: boolean
  /** Whether it means nothing unless the choice before it is ticked. */
  dependsOnLast?: boolean
}

const Choice = ({ name, text, hint, isTicked = true, dependsOnLast }: ChoiceProps) => (
  <label class={['check', dependsOnLast && 'depends']}>
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

type GoBack = Pick<ConsentPageState, 'clientName' | 'language'> & { location: string; isApproved: boolean }

/** The page whose link leads back to an app that has an address of its own kind, for example `cursor://`. */
export function goBackPage(app: App, { location, clientName, isApproved, language }: GoBack): Promise<ServerPage> {
  const texts = textsOf(language)
  const children = [
    <a class="button" href={location}>
      {fill(texts.goBack, { client: clientName })}
    </a>,
    <p class="foot">{texts.goBackHint}</p>,
  ]
  const title = isApproved ? texts.approvedTitle : texts.notConnectedTitle
  return cardPage(app, {
    page: 'consent',
    title,
    lead: fill(texts.goBackLead, { client: clientName }),
    children,
    language,
  })
}
