/** @jsxImportSource vue */
import { deviceInWords, readDevice, type EmailLink } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import type { AppError } from '#fairway/server/kernel/http/app-error'
import { oneClickScript } from '#fairway/server/kernel/server-page/note-page'
import { renderPage, type ServerPage } from '#fairway/server/kernel/server-page/render-page'
import { SIGN_IN_PATH } from '#fairway/shared/paths'
import { fill, languageOf, messagesOf } from '#fairway/server/kernel/messages'
import type { Language } from '#fairway/shared/languages'
import { setsPassword } from './confirm-email-link'
import { Alert, errorText, Field } from './page-parts'

interface LinkPageState {
  link: EmailLink
  token: string
  /** What was refused when the form was sent, for example the new password. */
  error?: AppError
}

/** The page behind a mailed link: nothing happens before its button is pressed. */
export async function emailLinkPage(app: App, { link, token, error }: LinkPageState): Promise<ServerPage> {
  const device = await deviceOf(link)
  const language = languageOf(link.payload.language)
  const texts = messagesOf(language).emailLink[link.purpose]
  const choosesPassword = link.purpose === 'verification' && setsPassword(link)
  const body = (
    <div class="card">
      <h1>{texts.title}</h1>
      <p class="lead">
        {fill(choosesPassword ? messagesOf(language).emailLink.choosePassword : texts.lead, { email: link.email })}
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
  const texts = messagesOf(language).emailLink
  return notePage(app, language, { title: texts.endedTitle, text: errorText(error, language), button: texts.askAgain })
}

/** The page after a link was opened in another browser than the one that goes on. */
export async function goOnElsewherePage(app: App, link: EmailLink): Promise<ServerPage> {
  const language = languageOf(link.payload.language)
  const { title, text, button } = messagesOf(language).emailLink.elsewhere
  return notePage(app, language, { title, text: fill(text, { browser: await deviceOf(link) }), button })
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
  return (
    <p class="banner">
      {fill(messagesOf(language).emailLink.askedFrom, { browser: device, address: link.payload.clientAddress, at })}
    </p>
  )
}

function NewPassword({ app, link, language }: { app: App; link: EmailLink; language: Language }) {
  const texts = messagesOf(language).signIn
  return (
    <>
      <input type="text" name="username" value={link.email} autocomplete="username" hidden readonly />
      <Field
        name="newPassword"
        type="password"
        label={texts.newPassword}
        hint={fill(texts.passwordHint, { minLength: app.config.password.minLength })}
        autocomplete="new-password"
      />
    </>
  )
}

const SignInThere = ({ device, language }: { device: string; language: Language }) => (
  <>
    <p class="foot">{messagesOf(language).emailLink.thereLead}</p>
    <button name="where" value="there" class="quiet">
      {fill(messagesOf(language).emailLink.there, { browser: device })}
    </button>
  </>
)
