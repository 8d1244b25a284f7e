/** @jsxImportSource vue */
import type { VNode } from 'vue'
import type { App } from '#fairway/server/kernel/app-context'
import { cardPage, MarkPair, oneClickScript } from '#fairway/server/kernel/server-page/note-page'
import { fill, fillCount, messagesOf, offered } from '#fairway/server/kernel/messages'
import type { ServerPage } from '#fairway/server/kernel/server-page/render-page'
import type { Language } from '#fairway/shared/languages'
import { ASK_FIRST, DELETE, type McpScope, OFFLINE_ACCESS, toolScopes } from '#fairway/shared/scopes'
import type { Session } from '#fairway/shared/schemas/session'
import { redirectKind, staysOnComputer } from '../clients/redirect-uri'
import { DeviceFacts, isFromElsewhere } from '../device/device-page'
import type { ConnectableOrg } from '../grants'
import type { AuthorizeRequest } from './authorize-request'
import { type ClientRisk, riskOf } from './client-risk'
import { type CurrentGrant, type Preset, presetOf } from './scope-preset'

/** The texts of the consent pages. */
export const textsOf = (language: Language = offered.defaultLanguage) => messagesOf(language).consent
type Texts = ReturnType<typeof textsOf>

interface ConsentPageState {
  request: AuthorizeRequest
  /** What the app may do already; undefined when it is not connected. */
  current: CurrentGrant | undefined
  clientName: string
  session: Session
  /** The organizations to choose from; the first one is preselected. */
  orgs: [ConnectableOrg, ...ConnectableOrg[]]
  ticket: string
  /** The page to sign in as another person. */
  otherAccountHref: string
  /** The address of the visitor. */
  clientAddress: string
  language: Language | undefined
}

/** Builds the page where a person decides whether an app may act for them. It works without JavaScript. */
export function consentPage(app: App, state: ConsentPageState): Promise<ServerPage> {
  const { request, current, clientName, session, orgs, ticket, otherAccountHref, language } = state
  const texts = textsOf(language)
  const { device } = request
  const risk = riskOf(request.client, device ? null : request.redirectUri, app.config.name)
  const isElsewhere = device !== undefined && isFromElsewhere(device, state.clientAddress)
  const children = [
    <p class="person">
      <strong>{session.email}</strong>
      <a href={otherAccountHref}>{texts.otherAccount}</a>
    </p>,
    <Warning risk={risk} state={state} />,
    device ? (
      <DeviceFacts request={device} isElsewhere={isElsewhere} product={app.config.name} language={language} />
    ) : null,
    // A form without an action posts to the page's own address, so its query carries the request.
    <form method="post">
      <input type="hidden" name="ticket" value={ticket} />
      <OrgChoice orgs={orgs} texts={texts} />
      <Scopes app={app} request={request} current={current} isRisky={risk !== undefined} language={language} />
      <p>
        {device ? (
          texts.device.afterwards
        ) : (
          <Stressed text={texts.goesTo} slot="where" value={destinationOf(request.redirectUri, texts)} />
        )}
      </p>
      <Decision
        label={fill(texts.allow, { client: clientName })}
        texts={texts}
        isRisky={isElsewhere || risk === 'elsewhere' || risk === 'look-alike'}
      />
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

/** The two answers. A warned person finds the safe one first, and no button invites them to go on. */
function Decision({ label, texts, isRisky }: { label: string; texts: Texts; isRisky: boolean }) {
  const allow = (
    <button name="decision" value="approve" class={isRisky ? 'quiet' : undefined}>
      {label}
    </button>
  )
  const deny = (
    <button name="decision" value="deny" class="quiet">
      {texts.deny}
    </button>
  )
  return <>{isRisky ? [deny, allow] : [allow, deny]}</>
}

// Each was looked up in the host's program or documentation. Names and commands are the same in every language.
const HOSTS = [
  ['Claude Code', 'claudeCode'],
  ['Codex', 'codex'],
  ['VS Code', 'vsCode'],
  ['Cursor', 'cursor'],
  ['Claude', 'claude'],
  ['ChatGPT', 'chatGpt'],
] as const

/** What makes each known host forget a registration that this server does not know. */
export function forgetSteps({ forget }: Texts): VNode {
  const steps = [...HOSTS.map(([host, key]) => [host, forget[key]] as const), [forget.others, forget.other] as const]
  return <dl>{steps.map(([host, step]) => [<dt>{host}</dt>, <dd>{withCommands(step)}</dd>])}</dl>
}

/** A sentence with its commands, which stand between backticks and are written from left to right. */
const withCommands = (text: string) =>
  text.split('`').map((part, at) => (at % 2 === 1 ? <code dir="ltr">{part}</code> : part))

/** The domain that publishes an app, if it was verified; or that owners registered it. */
const Origin = ({ request: { client }, texts }: { request: AuthorizeRequest; texts: Texts }) => (
  <p class="origin">
    {client.host === null ? (
      texts[client.source === 'managed' ? 'fromOwner' : 'fromRegistration']
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

/** The destination of the browser, in a few words. */
function destinationOf(redirectUri: string, texts: Texts): string {
  if (redirectKind(redirectUri) === 'private-use') return fill(texts.onThisComputer, { where: schemeOf(redirectUri) })
  const { host } = new URL(redirectUri)
  return staysOnComputer(redirectUri) ? fill(texts.onThisComputer, { where: host }) : host
}

/** The scheme of an address, for example `cursor://`. */
const schemeOf = (redirectUri: string): string => redirectUri.replace(/(:(?:\/\/)?).*$/, '$1')

/** The warning about an unusual request; most have none. */
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
  current: CurrentGrant | undefined
  /** Whether the page warns about the app. */
  isRisky: boolean
  language: Language | undefined
}

function Scopes({ app, request, current, isRisky, language }: ScopesProps) {
  const { scopes, client } = request
  const texts = textsOf(language)
  const hint = keepHint(app.config.oauth.accessTokenLifeInSeconds, language)
  // Many hosts request only the scopes of the challenge, so the grant types that they registered count too.
  const staysConnected = !isRisky && (scopes.includes(OFFLINE_ACCESS) || client.renews)
  return (
    <fieldset>
      <legend>{texts.scopes}</legend>
      {toolScopes(scopes).map(scope => (
        <ScopeChoice scope={scope} texts={texts} preset={presetOf(scope, request, current, isRisky)} />
      ))}
      <Choice name={OFFLINE_ACCESS} text={texts.keep} hint={hint} isTicked={staysConnected} />
    </fieldset>
  )
}

/**
 * The choice for one scope. Reading has no checkbox. Writing has three; the style sheet shows each while the one before it is ticked.
 */
function ScopeChoice({ scope, texts, preset }: { scope: McpScope; texts: Texts; preset: Preset }) {
  if (scope === 'mcp:read') return <Fixed text={texts.scope[scope]} hint={texts.scopeHint[scope]} />
  const hint = preset.isMore ? `${texts.scopeHint[scope]} ${texts.notYet}` : texts.scopeHint[scope]
  const choice = <Choice name={scope} text={texts.scope[scope]} hint={hint} isTicked={preset.isTicked} />
  if (scope !== 'mcp:write') return choice
  return (
    <>
      {choice}
      <Choice name={DELETE} text={texts.delete} hint={texts.deleteHint} isTicked={preset.mayDelete} dependsOnLast />
      <Choice name={ASK_FIRST} text={texts.askFirst} hint={texts.askFirstHint} dependsOnLast />
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
  name: McpScope | typeof OFFLINE_ACCESS | typeof DELETE | typeof ASK_FIRST
  text: string
  hint: string
  isTicked?: boolean
  /** Whether it has an effect only while the choice before it is ticked. */
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

/** The button that denies an app, for pages without a button to approve it. */
export const denyForm = (ticket: string, text: string): VNode => (
  <form method="post" class="below">
    <input type="hidden" name="ticket" value={ticket} />
    <button name="decision" value="deny" class="quiet">
      {text}
    </button>
  </form>
)

type GoBack = Pick<ConsentPageState, 'clientName' | 'language'> & { location: string; isApproved: boolean }

/** Builds the page whose link leads back to an app with a private-use scheme, for example `cursor://`. */
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
