/** @jsxImportSource vue */
import type { App } from '#fairway/server/kernel/app-context'
import type { AppError } from '#fairway/server/kernel/http/app-error'
import { renderPage, type ServerPage } from '#fairway/server/kernel/server-page/render-page'
import { remembered } from '#fairway/server/kernel/remember'
import { fill, messagesOf } from '#fairway/server/kernel/messages'
import type { Language } from '#fairway/shared/languages'
import { Alert, Field, LanguageForm, lineIcon, OutboxLink, ProviderMark } from './page-parts'
import { passkeyScript, signInScript, PASSKEY_BOX_ID } from './page-scripts'
import { offeredProviders } from './provider-sign-in'
import { AcceptTerms } from './terms-page'

/** The parts of the page, of which one is shown at a time; also what its forms ask for. */
export const SECTIONS = ['magic-link', 'sign-in', 'sign-up', 'reset'] as const
type Section = (typeof SECTIONS)[number]

interface SignInPageState {
  language: Language
  /** Whether the development account is offered by a button. */
  offersDev: boolean
  /** What was refused, with what the person had typed (never a password). */
  refused?: { intent: Section | 'dev'; error: AppError; email: string; name: string }
}

interface Part {
  app: App
  state: SignInPageState
}

/** The page without anything personal: the same bytes for every browser, rendered once and kept. */
export function signInPage(app: App, state: Omit<SignInPageState, 'refused'>): Promise<ServerPage> {
  return remembered<Promise<ServerPage>>(app, 'sign-in-pages').of(`${state.language} ${state.offersDev}`, () =>
    renderSignIn(app, state),
  )
}

/** The page after a refusal, with the reason and what was typed; for one browser, so it is never kept. */
export const refusedSignInPage = (app: App, state: SignInPageState): Promise<ServerPage> => renderSignIn(app, state)

/** Which parts the page has, the first one being shown first (SPEC: Modes and switches). */
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

function renderSignIn(app: App, state: SignInPageState): Promise<ServerPage> {
  const texts = messagesOf(state.language).signIn
  const offered = offeredSections(app)
  const wanted = state.refused?.intent
  const shown = offered.find(section => section === wanted) ?? offered[0]!
  // Those that are not shown come first: the style sheet hides what comes after the one that the address names.
  const order = [...offered.filter(section => section !== shown), shown]
  const body = (
    <div data-last={texts.lastUsed}>
      <div class="card">
        {app.config.authDisabled ? <FixedIdentityForm language={state.language} /> : null}
        {order.map(section => {
          const Body = bodies[section]
          return (
            <section class={section === shown ? 'switch-default' : 'switch'} id={section} key={section}>
              <Body app={app} state={state} />
            </section>
          )
        })}
        <OtherWays app={app} state={state} />
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

function MagicLinkForm({ state }: Part) {
  const texts = messagesOf(state.language).signIn
  return (
    <>
      <MailForm {...{ state, intent: 'magic-link', title: texts.title, lead: texts.magicLinkLead }} />
      <a class="button quiet" href="#sign-in">
        {texts.toPassword}
      </a>
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

/** Asks for an address to mail a link to. */
function MailForm({ state, intent, title, lead }: MailFormProps) {
  const texts = messagesOf(state.language).signIn
  const refused = refusedOf(state, intent)
  return (
    <>
      <h1>{title}</h1>
      <p class="lead">{lead}</p>
      <Refusal state={state} intent={intent} fields={['email']} />
      <form method="post">
        <Field
          name="email"
          type="email"
          label={texts.email}
          value={refused?.email}
          error={refused?.error}
          autocomplete="username"
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
  const offered = offeredSections(app)
  const { language } = state
  const { email, error } = refusedOf(state, 'sign-in') ?? {}
  // A form without an action posts to the page's own address, so the return path rides along in the query.
  return (
    <>
      <h1>{texts.title}</h1>
      <p class="lead">{texts.lead}</p>
      <Refusal state={state} intent="sign-in" fields={['email', 'password']} />
      <form method="post">
        <Field
          {...{ name: 'email', type: 'email', label: texts.email, value: email, error, language }}
          autocomplete="username"
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
  const hint = fill(texts.passwordHint, { minLength: app.config.password.minLength })
  const field = { error, language: state.language, prefix: 'new-' }
  return (
    <>
      <h1>{texts.signUpTitle}</h1>
      <p class="lead">{texts.signUpLead}</p>
      <Refusal state={state} intent="sign-up" fields={['name', 'email', 'password']} />
      <form method="post">
        <Field {...field} name="name" type="text" label={texts.name} value={name} autocomplete="name" />
        <Field {...field} name="email" type="email" label={texts.email} value={email} autocomplete="username" />
        <Field
          {...field}
          name="password"
          type="password"
          label={texts.password}
          hint={hint}
          autocomplete="new-password"
        />
        <AcceptTerms app={app} language={state.language} />
        <button name="intent" value="sign-up">
          {texts.createAccount}
        </button>
      </form>
      <p class="foot links">
        <a href="#sign-in">{texts.toSignIn}</a>
      </p>
    </>
  )
}

const bodies = { 'magic-link': MagicLinkForm, 'sign-in': SignInForm, 'sign-up': SignUpForm, reset: ResetForm }

/** Below the one rule: the passkey, the providers, and the development account where there is one. */
function OtherWays({ app, state }: Part) {
  const texts = messagesOf(state.language).signIn
  const providers = offeredProviders(app)
  const hasForm = providers.length > 0 || state.offersDev
  return (
    // Without the script nothing is left of it where there is only the passkey; a new account has none.
    <div class={['ways', !hasForm && 'proves']} hidden={!hasForm}>
      <p class="or">{texts.or}</p>
      <PasskeyButton language={state.language} />
      {hasForm ? (
        <form method="post">
          <Refusal state={state} intent="dev" fields={[]} />
          {providers.map(({ id, name }) => (
            <button name="provider" value={id} class="quiet with-mark" key={id}>
              <ProviderMark id={id} />
              <span>{fill(texts.withProvider, { name })}</span>
            </button>
          ))}
          {state.offersDev ? (
            <button name="intent" value="dev" class="quiet">
              {texts.devButton}
            </button>
          ) : null}
        </form>
      ) : null}
    </div>
  )
}

const refusedOf = (state: SignInPageState, intent: Section) =>
  state.refused?.intent === intent ? state.refused : undefined

interface RefusalProps {
  state: SignInPageState
  intent: Section | 'dev'
  /** Beside which it stands when it is about one of them. */
  fields: string[]
}

const Refusal = ({ state, intent, fields }: RefusalProps) =>
  state.refused?.intent === intent ? (
    <Alert error={state.refused.error} language={state.language} fields={fields} />
  ) : null

/** The button for signing in with a passkey; the script shows it where the browser can. */
function PasskeyButton({ language }: { language: Language }) {
  const { button, failed } = messagesOf(language).signIn.passkey
  return (
    <div class="proves" id={PASSKEY_BOX_ID} hidden>
      <div class="alert" role="alert" hidden>
        {failed} <small />
      </div>
      <button type="button" class="quiet with-mark" value="passkey">
        <svg {...lineIcon}>
          <circle cx="8" cy="9" r="4" />
          <path d="M12 9h9v4m-4-4v3M2 21c0-4 2.5-6 6-6 2 0 3.5.7 4.5 1.8" />
        </svg>
        <span>{button}</span>
      </button>
    </div>
  )
}

/** The way back for a browser that signed out although sign-in is disabled. */
const FixedIdentityForm = ({ language }: { language: Language }) => (
  <form method="post">
    <p class="note">{messagesOf(language).signIn.fixedIdentity.lead}</p>
    <button name="intent" value="fixed-identity" class="quiet">
      {messagesOf(language).signIn.fixedIdentity.button}
    </button>
  </form>
)
