/** @jsxImportSource vue */
import type { App } from '#server/foundation/app-context'
import type { AppError } from '#server/foundation/http/app-error'
import { renderPage, type ServerPage } from '#server/foundation/server-page/render-page'
import { errorCatalog } from '#shared/errors'
import { signInScript } from './sign-in-script'
import { signInTexts, type Language } from './sign-in-texts'

export interface SignInPageState {
  language: Language
  /** Whether the development account is offered by a button. */
  offersDev: boolean
  /** What was refused, with what the person had typed (never a password). */
  refused?: { intent: 'sign-in' | 'sign-up' | 'dev'; error: AppError; email: string; name: string }
}

/** The page without anything personal: the same bytes for every visitor, rendered once and kept. */
export function signInPage(app: App, state: Omit<SignInPageState, 'refused'>): Promise<ServerPage> {
  return app.once(`sign-in-page/${state.language}/${state.offersDev}`, () => renderSignIn(app, state))
}

/** The page after a refusal, with the reason and what was typed; for one visitor, so it is never kept. */
export const refusedSignInPage = (app: App, state: SignInPageState): Promise<ServerPage> => renderSignIn(app, state)

function renderSignIn(app: App, state: SignInPageState): Promise<ServerPage> {
  const texts = signInTexts[state.language]
  const body = (
    <main>
      <p class="brand">
        <Mark />
        {app.config.name}
      </p>
      <div class="card">
        {app.config.authDisabled ? <p class="banner">{texts.noSignInNeeded}</p> : null}
        <SignUpForm app={app} state={state} />
        <SignInForm state={state} />
        <ProviderForm app={app} state={state} />
        {state.offersDev ? <DevForm state={state} /> : null}
      </div>
      <LanguageForm state={state} />
    </main>
  )
  const title = `${texts.title} · ${app.config.name}`
  return renderPage({ title, language: state.language, body, script: signInScript })
}

const Mark = () => (
  <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true">
    <path d="M6 21V4l12 4-12 4" />
    <path d="M4 21h16" />
  </svg>
)

function SignInForm({ state }: { state: SignInPageState }) {
  const texts = signInTexts[state.language]
  const typed = state.refused?.intent === 'sign-in' ? state.refused : undefined
  // A form without an action posts to the page's own address, so the return path rides along in the query.
  return (
    <section class={isSignUpRefused(state) ? 'switch' : 'switch-default'} id="sign-in">
      <h1>{texts.title}</h1>
      <p class="lead">{texts.lead}</p>
      <Alert state={state} intent="sign-in" />
      <form method="post">
        <Field name="email" type="email" label={texts.email} value={typed?.email} autocomplete="username" />
        <Field name="password" type="password" label={texts.password} autocomplete="current-password" />
        <button name="intent" value="sign-in">
          {texts.signIn}
        </button>
      </form>
      <p class="foot">
        <a href="#sign-up">{texts.toSignUp}</a>
      </p>
    </section>
  )
}

function SignUpForm({ app, state }: { app: App; state: SignInPageState }) {
  const texts = signInTexts[state.language]
  const typed = state.refused?.intent === 'sign-up' ? state.refused : undefined
  const hint = texts.passwordHint(app.config.password.minLength)
  return (
    <section class={isSignUpRefused(state) ? 'switch-default' : 'switch'} id="sign-up">
      <h1>{texts.signUpTitle}</h1>
      <p class="lead">{texts.signUpLead}</p>
      <Alert state={state} intent="sign-up" />
      <form method="post">
        <Field name="name" type="text" label={texts.name} value={typed?.name} autocomplete="name" prefix="new-" />
        <Field
          name="email"
          type="email"
          label={texts.email}
          value={typed?.email}
          autocomplete="username"
          prefix="new-"
        />
        <Field
          name="password"
          type="password"
          label={texts.password}
          autocomplete="new-password"
          hint={hint}
          prefix="new-"
        />
        <button name="intent" value="sign-up">
          {texts.createAccount}
        </button>
      </form>
      <p class="foot">
        <a href="#sign-in">{texts.toSignIn}</a>
      </p>
    </section>
  )
}

function ProviderForm({ app, state }: { app: App; state: SignInPageState }) {
  if (app.config.signInProviders.length === 0) return null
  return (
    <form method="post" class="other">
      {app.config.signInProviders.map(({ id, name }) => (
        <button name="provider" value={id} class="quiet" key={id}>
          {signInTexts[state.language].withProvider(name)}
        </button>
      ))}
    </form>
  )
}

function DevForm({ state }: { state: SignInPageState }) {
  const texts = signInTexts[state.language]
  return (
    <form method="post" class="other">
      <p class="lead">{texts.devLead}</p>
      <Alert state={state} intent="dev" />
      <button name="intent" value="dev" class="quiet">
        {texts.devButton}
      </button>
    </form>
  )
}

function LanguageForm({ state }: { state: SignInPageState }) {
  const other: Language = state.language === 'en' ? 'de' : 'en'
  return (
    <form method="post" class="languages">
      <button name="language" value={other} class="link" lang={other}>
        {signInTexts[state.language].otherLanguage}
      </button>
    </form>
  )
}

interface FieldProps {
  name: string
  type: string
  label: string
  autocomplete: string
  value?: string
  hint?: string
  prefix?: string
}

function Field({ name, type, label, autocomplete, value, hint, prefix = '' }: FieldProps) {
  const id = `${prefix}${name}`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        type={type}
        value={value}
        required
        autocomplete={autocomplete}
        aria-describedby={hint ? `${id}-hint` : undefined}
      />
      {hint ? (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      ) : null}
    </div>
  )
}

function Alert({ state, intent }: { state: SignInPageState; intent: string }) {
  if (state.refused?.intent !== intent) return null
  const { error } = state.refused
  const texts = signInTexts[state.language]
  const translated =
    texts.errors[error.code] ?? (error.status < 500 ? errorCatalog[error.code].title : texts.otherError)
  const detail =
    state.language === 'en' ? (error.errors?.map(fault => fault.message).join(' ') ?? error.detail) : undefined
  return (
    <div class="alert" role="alert">
      {translated} {detail}
      <small>{error.code}</small>
    </div>
  )
}

const isSignUpRefused = (state: SignInPageState): boolean => state.refused?.intent === 'sign-up'
