/** @jsxImportSource vue */
// The forms of the sign-in page, one for each section.
import type { VNode } from 'vue'
import type { App } from '#fairway/server/kernel/app-context'
import { fill, fillCount, messagesOf } from '#fairway/server/kernel/messages'
import { Alert, Field } from './page-parts'
import { offeredSections, type SignInPageState, signsUpByLink } from './sign-in-sections'
import { AcceptTerms } from './terms-page'

interface Part {
  app: App
  state: SignInPageState
}

function MagicLinkForm({ state }: Part) {
  const texts = messagesOf(state.language).signIn
  return (
    <>
      <MailForm {...{ state, intent: 'magic-link', title: texts.title, lead: texts.magicLinkLead }} />
      <a class="button quiet" href="#sign-in">
        {texts.toPassword}
      </a>
      <p class="foot links">
        <a href="#sign-up">{texts.toSignUp}</a>
      </p>
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
  intent: 'magic-link' | 'sign-up-link' | 'reset'
  title: string
  lead: string
  /** The checkbox of the terms, where the link opens an account. */
  terms?: VNode
  button?: string
}

/** A form for the address that gets a link. */
function MailForm({ state, intent, title, lead, terms, button }: MailFormProps) {
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
        {terms}
        <button name="intent" value={intent}>
          {button ?? texts.mailLink}
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

function SignUpByLink({ app, state }: Part) {
  const { language } = state
  const texts = messagesOf(language).signIn
  const terms = <AcceptTerms app={app} language={language} />
  // The link of the invitation was already mailed, so the account opens without another one.
  const button = state.invited?.isNew ? texts.createAccount : texts.mailLink
  const form = { state, intent: 'sign-up-link' as const, title: texts.signUpTitle, lead: texts.signUpLinkLead }
  return (
    <>
      <MailForm {...{ ...form, terms, button }} />
      {app.config.signIn.passwordSignUp ? (
        <a class="button quiet" href="#sign-up-password">
          {texts.toPassword}
        </a>
      ) : null}
      <p class="foot links">
        <a href="#magic-link">{texts.toSignIn}</a>
      </p>
    </>
  )
}

function SignUpForm({ app, state }: Part) {
  const texts = messagesOf(state.language).signIn
  const { name, email, error } = refusedOf(state, 'sign-up') ?? {}
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
        <Field
          {...{ ...field, name: 'password', type: 'password', label: texts.password, hint }}
          autocomplete="new-password"
        />
        <AcceptTerms app={app} language={state.language} />
        <button name="intent" value="sign-up">
          {texts.createAccount}
        </button>
      </form>
      <p class="foot links">
        {signsUpByLink(app) ? (
          <a href="#sign-up">{state.invited?.isNew ? texts.invited.withoutPassword : texts.toMagicLink}</a>
        ) : null}
        <a href="#sign-in">{texts.toSignIn}</a>
      </p>
    </>
  )
}

const SignUp = ({ app, state }: Part) =>
  signsUpByLink(app) ? <SignUpByLink app={app} state={state} /> : <SignUpForm app={app} state={state} />

/** The forms of the sections. */
export const forms = {
  'magic-link': MagicLinkForm,
  'sign-in': SignInForm,
  'sign-up': SignUp,
  'sign-up-password': SignUpForm,
  reset: ResetForm,
}

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

const refusedOf = (state: SignInPageState, intent: string) =>
  state.refused?.intent === intent ? state.refused : undefined

interface RefusalProps {
  state: SignInPageState
  intent: string
  /** The fields that show their own errors. */
  fields: string[]
}

/** The error of a posted form, unless one of its fields shows it. */
export const Refusal = ({ state, intent, fields }: RefusalProps) =>
  state.refused?.intent === intent ? (
    <Alert error={state.refused.error} language={state.language} fields={fields} />
  ) : null
