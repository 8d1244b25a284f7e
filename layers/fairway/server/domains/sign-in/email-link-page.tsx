/** @jsxImportSource vue */
import { deviceInWords, readDevice, type EmailLink, setsPassword } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import type { AppError } from '#fairway/server/kernel/http/app-error'
import { oneClickScript } from '#fairway/server/kernel/server-page/one-click-script'
import { renderPage, type ServerPage } from '#fairway/server/kernel/server-page/render-page'
import { SIGN_IN_PATH } from '#fairway/shared/paths'
import { Alert, errorText, Field } from './page-parts'
import { signInTexts, toLanguage, type Language } from './sign-in-texts'

interface LinkPageState {
  link: EmailLink
  token: string
  /** What was refused when the form was sent, for example the new password. */
  error?: AppError
}

/** The page behind a mailed link: nothing happens before its button is pressed. */
export async function emailLinkPage(app: App, { link, token, error }: LinkPageState): Promise<ServerPage> {
  const device = await deviceOf(link)
  const language = toLanguage(link.payload.language)
  const texts = signInTexts[language].link[link.purpose]
  const choosesPassword = link.purpose === 'verification' && setsPassword(link)
  const body = (
    <div class="card">
      <h1>{texts.title}</h1>
      <p class="lead">
        {choosesPassword ? signInTexts[language].link.choosePassword(link.email) : texts.lead(link.email)}
      </p>
      {link.isSameBrowser ? null : <AskedFrom link={link} device={device} language={language} />}
      {error ? <Alert error={error} language={language} /> : null}
      <form method="post">
        <input type="hidden" name="token" value={token} />
        {setsPassword(link) ? <NewPassword app={app} link={link} language={language} /> : null}
        <button name="where" value="here">
          {texts.button}
        </button>
        {link.purpose === 'magic-link' && !link.isSameBrowser ? (
          <SignInThere device={device} language={language} />
        ) : null}
      </form>
    </div>
  )
  return renderPage(app, { page: 'email-link', title: texts.title, language, body, script: oneClickScript })
}

/** The page of a link that no longer works: why, and where a new one comes from. */
export function endedLinkPage(app: App, error: AppError, language: Language): Promise<ServerPage> {
  const texts = signInTexts[language].link
  return notePage(app, language, { title: texts.endedTitle, text: errorText(error, language), button: texts.askAgain })
}

/** The page after a link was opened in another browser than the one that goes on. */
export async function goOnElsewherePage(app: App, link: EmailLink): Promise<ServerPage> {
  const language = toLanguage(link.payload.language)
  const { title, text, button } = signInTexts[language].link.elsewhere
  return notePage(app, language, { title, text: text(await deviceOf(link)), button })
}

const deviceOf = async (link: EmailLink): Promise<string> => deviceInWords(await readDevice(link.payload.userAgent))

function notePage(app: App, language: Language, note: { title: string; text: string; button: string }) {
  const body = (
    <div class="card">
      <h1>{note.title}</h1>
      <p class="lead">{note.text}</p>
      <a class="button" href={SIGN_IN_PATH}>
        {note.button}
      </a>
    </div>
  )
  return renderPage(app, { page: 'email-link', title: note.title, language, body })
}

function AskedFrom({ link, device, language }: { link: EmailLink; device: string; language: Language }) {
  const at = `${link.createdAt.toISOString().slice(11, 16)} UTC`
  return <p class="banner">{signInTexts[language].link.askedFrom(device, link.payload.clientAddress, at)}</p>
}

function NewPassword({ app, link, language }: { app: App; link: EmailLink; language: Language }) {
  const texts = signInTexts[language]
  return (
    <>
      <input type="text" name="username" value={link.email} autocomplete="username" hidden readonly />
      <Field
        name="newPassword"
        type="password"
        label={texts.newPassword}
        hint={texts.passwordHint(app.config.password.minLength)}
        autocomplete="new-password"
      />
    </>
  )
}

const SignInThere = ({ device, language }: { device: string; language: Language }) => (
  <>
    <p class="foot">{signInTexts[language].link.thereLead}</p>
    <button name="where" value="there" class="quiet">
      {signInTexts[language].link.there(device)}
    </button>
  </>
)
