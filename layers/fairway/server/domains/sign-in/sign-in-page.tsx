/** @jsxImportSource vue */
import type { App } from '#fairway/server/kernel/app-context'
import type { AppError } from '#fairway/server/kernel/http/app-error'
import { renderPage, type ServerPage } from '#fairway/server/kernel/server-page/render-page'
import { createCache } from '#fairway/server/kernel/cache'
import { fill, fillCount, messagesOf } from '#fairway/server/kernel/messages'
import type { Language } from '#fairway/shared/languages'
import { Alert, Field, LanguageForm, OutboxLink } from './page-parts'
import type { Invited } from './invited'
import { OtherWays } from './other-ways'
import { passkeyScript, signInScript } from './page-scripts'
import { AcceptTerms } from './terms-page'

/** The sections of the page; one is visible at a time. Also the intents of its forms. */
export const SECTIONS = ['magic-link', 'sign-in', 'sign-up', 'reset'] as const
type Section = (typeof SECTIONS)[number]

export interface SignInPageState {
  language: Language
  /** Whether the page has a button for the development account. */
  offersDev: boolean
  /** The error with the person's input (never a password). */
  refused?: { intent: Section | 'dev'; error: AppError; email: string; name: string }
  /** The invitation in the return path. */
  invited?: Invited
}

interface Part {
  app: App
  state: SignInPageState
}

/** The page without personal content: identical for every browser, rendered once and cached. */
export function signInPage(app: App, state: Omit<SignInPageState, 'refused' | 'invited'>): Promise<ServerPage> {
  const pages = app.memo('sign-in-pages', () => createCache<Promise<ServerPage>>('pages', app.config.shortcuts))
  return pages.getOrSet(`${state.language} ${state.offersDev}`, () => renderSignIn(app, state))
}

/** The page for one browser, never cached: with an error and the person's input, or for an invited person. */
export const personalSignInPage = (app: App, state: SignInPageState): Promise<ServerPage> => renderSignIn(app, state)

/** The sections of the page; the first one is shown first (SPEC: Modes and switches). */
export function offeredSections(app: App): Section[] {
  const { magicLink, passwordSignUp } = app.config.signIn
  const isOffered: Record<Section, boolean> = {
    'magic-link': magicLink,
    'sign-in': true,
    'sign-up': passwordSignUp,
    reset: app.mailer.isReady,
  }
  return SECTIONS.filter(section => isOffered[section])
}

/** Where sign-in links are available, an invitation opens an account without a password too. */
const sectionsFor = (app: App, { invited }: SignInPageState): Section[] => {
  const offered = offeredSections(app)
  const opens = invited?.isNew && app.config.signIn.magicLink
  return SECTIONS.filter(section => offered.includes(section) || (section === 'sign-up' && opens))
}

function renderSignIn(app: App, state: SignInPageState): Promise<ServerPage> {
  const texts = messagesOf(state.language).signIn
  const offered = sectionsFor(app, state)
  const wanted = state.refused?.intent ?? (state.invited?.isNew ? 'sign-up' : undefined)
  const shown = offered.find(section => section === wanted) ?? offered[0]!
  // Hidden sections come first: the style sheet hides the sections after the one in the address.
  const order = [...offered.filter(section => section !== shown), shown]
  const body = (
    <div data-last={texts.lastUsed}>
      <div class="card">
        {order.map(section => {
          const Body = bodies[section]
          return (
            <section class={section === shown ? 'switch-default' : 'switch'} id={section} key={section}>
              <Body app={app} state={state} />
            </section>
          )
        })}
        <OtherWays
          app={app}
          language={state.language}
          visible={offered.includes('magic-link') ? 1 : 2}
          offersDev={state.offersDev}
          refusal={<Refusal state={state} intent="dev" fields={[]} />}
        />
        <OutboxLink app={app} language={state.language} />
      </div>
      <LanguageForm language={state.language} />
    </div>
  )
  return renderPage(app, {
    page: 'sign-in',
    title: texts.title,
    language: state.language,
    body,
    script: signInScript + passkeyScript,
  })
}

function MagicLinkForm({ app, state }: Part) {
  const texts = messagesOf(state.language).signIn
  return (
    <>
      <MailForm {...{ state, intent: 'magic-link', title: texts.title, lead: texts.magicLinkLead }} />
      <a class="button quiet" href="#sign-in">
        {texts.toPassword}
      </a>
      {sectionsFor(app, state).includes('sign-up') ? (
        <p class="foot links">
          <a href="#sign-up">{texts.toSignUp}</a>
        </p>
      ) : null}
    </>
  )
}

function ResetForm({ state }: Part) {
  const texts = messagesOf(state.language).signIn
  return (
    <>
      <MailForm {...{ state, intent: 'reset', title: texts.resetTitle, lead: texts.resetLead }} />
      <p class="foot links">
        <a href="#sign-in">{texts.backToSignIn}</a>
      </p>
    </>
  )
}

interface MailFormProps {
  state: SignInPageState
  intent: 'magic-link' | 'reset'
  title: string
  lead: string
}

/** A form for the address that gets a link. */
function MailForm({ state, intent, title, lead }: MailFormProps) {
  const texts = messagesOf(state.language).signIn
  const refused = refusedOf(state, intent)
  return (
    <>
      <Heading state={state} title={title} lead={lead} />
      <Refusal state={state} intent={intent} fields={['email']} />
      <form method="post">
        <Field
          name="email"
          type="email"
          label={texts.email}
          {...addressOf(state, refused?.email)}
          error={refused?.error}
          autocomplete="username webauthn"
          prefix={`${intent}-`}
          language={state.language}
        />
        <button name="intent" value={intent}>
          {texts.mailLink}
        </button>
      </form>
    </>
  )
}

function SignInForm({ app, state }: Part) {
  const texts = messagesOf(state.language).signIn
  const offered = sectionsFor(app, state)
  const { language } = state
  const { email, error } = refusedOf(state, 'sign-in') ?? {}
  // A form without an action posts to the page's own address, which keeps the return path in the query.
  return (
    <>
      <Heading state={state} title={texts.title} lead={texts.lead} />
      <Refusal state={state} intent="sign-in" fields={['email', 'password']} />
      <form method="post">
        <Field
          {...{ name: 'email', type: 'email', label: texts.email, error, language }}
          {...addressOf(state, email)}
          autocomplete="username webauthn"
        />
        <Field
          {...{ name: 'password', type: 'password', label: texts.password, error, language }}
          autocomplete="current-password"
        />
        <button name="intent" value="sign-in">
          {texts.signIn}
        </button>
      </form>
      <p class="foot links">
        {offered.includes('magic-link') ? <a href="#magic-link">{texts.toMagicLink}</a> : null}
        {offered.includes('reset') ? <a href="#reset">{texts.toReset}</a> : null}
        {offered.includes('sign-up') ? <a href="#sign-up">{texts.toSignUp}</a> : null}
      </p>
    </>
  )
}

function SignUpForm({ app, state }: Part) {
  const texts = messagesOf(state.language).signIn
  const { name, email, error } = refusedOf(state, 'sign-up') ?? {}
  const { magicLink, passwordSignUp } = app.config.signIn
  const hint = fillCount(texts.passwordHint, { minLength: app.config.password.minLength }, state.language)
  const field = { error, language: state.language, prefix: 'new-' }
  return (
    <>
      <Heading state={state} title={texts.signUpTitle} lead={texts.signUpLead} />
      <Refusal state={state} intent="sign-up" fields={['name', 'email', 'password']} />
      <form method="post">
        <Field {...field} name="name" type="text" label={texts.name} value={name} autocomplete="name" />
        <Field
          {...{ ...field, name: 'email', type: 'email', label: texts.email }}
          {...addressOf(state, email)}
          autocomplete="username"
        />
        {passwordSignUp ? (
          <Field
            {...{ ...field, name: 'password', type: 'password', label: texts.password, hint }}
            autocomplete="new-password"
          />
        ) : null}
        <AcceptTerms app={app} language={state.language} />
        <button name="intent" value={passwordSignUp ? 'sign-up' : 'invitation'}>
          {texts.createAccount}
        </button>
        {passwordSignUp && magicLink && state.invited?.isNew ? (
          <button name="intent" value="invitation" class="quiet" formnovalidate>
            {texts.invited.withoutPassword}
          </button>
        ) : null}
      </form>
      <p class="foot links">
        <a href="#sign-in">{texts.toSignIn}</a>
      </p>
    </>
  )
}

const bodies = { 'magic-link': MagicLinkForm, 'sign-in': SignInForm, 'sign-up': SignUpForm, reset: ResetForm }

/** The address of an invitation, which is read-only; otherwise the typed address. */
const addressOf = ({ invited }: SignInPageState, typed: string | undefined) =>
  invited ? { value: invited.email, isFixed: true } : { value: typed }

/** The title of a section. With an invitation, it names the inviting person and the organization. */
function Heading({
  state: { invited, language },
  title,
  lead,
}: {
  state: SignInPageState
  title: string
  lead: string
}) {
  const texts = messagesOf(language).signIn.invited
  const { by = '', orgName: organization = '', email = '', isNew } = invited ?? {}
  return (
    <>
      <h1 class={invited && 'invited'}>{invited ? fill(texts.title, { by, organization }) : title}</h1>
      <p class="lead">{invited ? fill(isNew ? texts.leadNew : texts.lead, { email }) : lead}</p>
    </>
  )
}

const refusedOf = (state: SignInPageState, intent: Section) =>
  state.refused?.intent === intent ? state.refused : undefined

interface RefusalProps {
  state: SignInPageState
  intent: Section | 'dev'
  /** The fields that show their own errors. */
  fields: string[]
}

const Refusal = ({ state, intent, fields }: RefusalProps) =>
  state.refused?.intent === intent ? (
    <Alert error={state.refused.error} language={state.language} fields={fields} />
  ) : null
