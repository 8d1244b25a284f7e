/** @jsxImportSource vue */
// The pages after the sign-in page: opening a mailed link, and the code of the second factor. Also the page of an application
// whose people sign in elsewhere.
import { deviceInWords, type EmailLink, owesFirstTerms, readDevice, setsPassword } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import type { AppError } from '#fairway/server/kernel/http/app-error'
import { ErrorDetails, oneClickScript } from '#fairway/server/kernel/server-page/note-page'
import { renderPage, type ServerPage } from '#fairway/server/kernel/server-page/render-page'
import { SIGN_IN_PATH } from '#fairway/shared/paths'
import { Alert, CodeField, errorText, Field, LanguageForm } from './page-parts'
import { passwordScript, signInScript } from './page-scripts'
import { AcceptTerms } from './terms-page'
import { fill, fillCount, languageOf, messagesOf } from '#fairway/server/kernel/messages'
import { formatTime, type Language } from '#fairway/shared/languages'

interface LinkPageState {
  link: EmailLink
  token: string
  /** The error of the posted form, for example about the new password. */
  error?: AppError
}

/** The version of the terms accepted at sign-up. Ignored in another browser, which another person may use. */
export const termsOfSignUp = ({ isSameBrowser, payload }: EmailLink): string | undefined =>
  isSameBrowser ? payload.termsVersion : undefined

/** Whether the page of a link must ask to accept the terms: where the link opens an account. */
export const asksForTerms = async (app: App, link: EmailLink): Promise<boolean> =>
  link.purpose !== 'password-reset' &&
  termsOfSignUp(link) !== app.config.legal.terms?.version &&
  (await owesFirstTerms(app, link.email))

/** The page behind a mailed link. Only its button uses the link. */
export async function emailLinkPage(app: App, { link, token, error }: LinkPageState): Promise<ServerPage> {
  const device = await deviceOf(link)
  const language = languageOf(link.payload.language)
  const texts = messagesOf(language).emailLink[link.purpose]
  const hasChoice = link.purpose === 'magic-link' && !link.isSameBrowser
  const choosesPassword = link.purpose === 'verification' && setsPassword(link)
  const body = (
    <div class="card steady">
      <h1>{texts.title}</h1>
      <p class="lead">
        {fill(choosesPassword ? messagesOf(language).emailLink.choosePassword : texts.lead, { email: link.email })}
      </p>
      {link.isSameBrowser ? null : <AskedFrom link={link} device={device} language={language} />}
      {error ? <Alert error={error} language={language} fields={setsPassword(link) ? ['newPassword'] : []} /> : null}
      <form method="post">
        <input type="hidden" name="token" value={token} />
        {setsPassword(link) ? <NewPassword app={app} link={link} language={language} error={error} /> : null}
        {(await asksForTerms(app, link)) ? <AcceptTerms app={app} language={language} /> : null}
        {hasChoice ? <SignInThere device={device} language={language} /> : null}
        <button name="where" value="here" class={hasChoice && 'quiet'}>
          {texts.button}
        </button>
      </form>
    </div>
  )
  return renderPage(app, { page: 'email-link', title: texts.title, language, body, script: passwordScript })
}

interface EndedLinkState {
  error: AppError
  token: string
  language: Language
}

/** The page of a link that no longer works: the reason, and a button for a new link when the recipient is known. */
export function endedLinkPage(app: App, { error, token, language }: EndedLinkState): Promise<ServerPage> {
  const texts = messagesOf(language).emailLink
  const { code } = error
  const isKnown = code === 'link-used' || code === 'link-expired'
  const title = isKnown ? texts[code] : texts.endedTitle
  const body = (
    <div class="card steady">
      <h1>{title}</h1>
      <p class="lead">{isKnown ? texts.mailAnotherLead : errorText(error, language)}</p>
      {isKnown ? (
        <form method="post">
          <input type="hidden" name="token" value={token} />
          <button name="again" value="1">
            {texts.mailAnother}
          </button>
        </form>
      ) : null}
      <a class={['button', isKnown && 'quiet']} href={SIGN_IN_PATH}>
        {texts.askAgain}
      </a>
      <ErrorDetails text={code} language={language} />
    </div>
  )
  return renderPage(app, { page: 'email-link', title, language, body, script: oneClickScript })
}

/** The page after a link was opened in one browser and another browser is signed in. */
export async function goOnElsewherePage(app: App, link: EmailLink): Promise<ServerPage> {
  const language = languageOf(link.payload.language)
  const { title, text, button } = messagesOf(language).emailLink.elsewhere
  const body = (
    <div class="card steady">
      <h1>{title}</h1>
      <p class="lead">{fill(text, { browser: await deviceOf(link) })}</p>
      <a class="button quiet" href={SIGN_IN_PATH}>
        {button}
      </a>
    </div>
  )
  return renderPage(app, { page: 'email-link', title, language, body })
}

const deviceOf = async (link: EmailLink): Promise<string> =>
  deviceInWords(await readDevice(link.payload.userAgent), languageOf(link.payload.language))

function AskedFrom({ link, device, language }: { link: EmailLink; device: string; language: Language }) {
  const at = `${formatTime(link.createdAt, language, 'clock', 'UTC')} UTC`
  return (
    <p class="banner">
      {fill(messagesOf(language).emailLink.askedFrom, { browser: device, address: link.payload.clientAddress, at })}
    </p>
  )
}

interface NewPasswordProps {
  app: App
  link: EmailLink
  language: Language
  error?: AppError
}

function NewPassword({ app, link, language, error }: NewPasswordProps) {
  const texts = messagesOf(language).signIn
  return (
    <>
      <input type="text" name="username" value={link.email} autocomplete="username" hidden readonly />
      <Field
        name="newPassword"
        type="password"
        label={texts.newPassword}
        hint={fillCount(texts.passwordHint, { minLength: app.config.password.minLength }, language)}
        autocomplete="new-password"
        language={language}
        error={error}
      />
    </>
  )
}

const SignInThere = ({ device, language }: { device: string; language: Language }) => (
  <>
    <button name="where" value="there">
      {fill(messagesOf(language).emailLink.there, { browser: device })}
    </button>
    <p class="foot">{messagesOf(language).emailLink.hereLead}</p>
  </>
)

export const SECOND_FACTOR_INTENT = 'second-factor'
/** The step of the sign-in page that requests the code, for browsers that come from another page. */
export const CODE_STEP = 'code'

/** Whether a posted form leads to the code page: after the right password, or a wrong code while tries are left. */
export function asksForCode(form: { intent?: string }, error: AppError): boolean {
  if (error.code === 'second-factor-required') return true
  return form.intent === SECOND_FACTOR_INTENT && ['invalid-code', 'invalid-input', 'rate-limited'].includes(error.code)
}

/**
 * The page that requests the code of the second factor. It posts to its own address, which keeps the return path in the query.
 */
export function secondFactorPage(app: App, language: Language, error?: AppError): Promise<ServerPage> {
  const texts = messagesOf(language).secondFactor
  const body = (
    <div class="card steady">
      <h1>{texts.title}</h1>
      <p class="lead">{texts.lead}</p>
      {!error || error.code === 'second-factor-required' ? null : <Alert language={language} error={error} />}
      <form method="post">
        <CodeField id="code" label={texts.code} />
        <SubmitCode label={texts.button} />
      </form>
      <details class="other">
        <summary>{texts.backup}</summary>
        <form method="post">
          <div class="field">
            <label for="backup-code">{texts.backupCode}</label>
            <input id="backup-code" name="code" required autocomplete="off" autocapitalize="off" spellcheck="false" />
          </div>
          <SubmitCode label={texts.button} />
        </form>
      </details>
      <p class="foot">
        <a href={SIGN_IN_PATH}>{texts.back}</a>
      </p>
    </div>
  )
  return renderPage(app, { page: 'second-factor', title: texts.title, language, body, script: oneClickScript })
}

const SubmitCode = ({ label }: { label: string }) => (
  <button name="intent" value={SECOND_FACTOR_INTENT}>
    {label}
  </button>
)

/** The page of an application whose people sign in elsewhere. Identical for every browser. */
export function signInElsewherePage(app: App, language: Language): Promise<ServerPage> {
  return app.memo(`sign-in-elsewhere/${language}`, () => {
    const { title, lead, wait } = messagesOf(language).signIn.elsewhere
    const body = (
      <>
        <div class="card steady">
          <h1>{title}</h1>
          <p class="lead">{lead}</p>
          <p>{wait}</p>
        </div>
        <LanguageForm language={language} />
      </>
    )
    return renderPage(app, { page: 'sign-in', title, language, body, script: signInScript })
  })
}

/** The sign-in address elsewhere, with the return address in `return`. Undefined when the application names none. */
export function signInUrlFor(app: App, returnPath: string): string | undefined {
  const { baseUrl, customSignIn } = app.config
  if (!customSignIn?.signInUrl) return undefined
  const url = new URL(customSignIn.signInUrl, baseUrl)
  url.searchParams.set('return', baseUrl + returnPath)
  return url.origin === baseUrl ? url.pathname + url.search + url.hash : url.href
}
