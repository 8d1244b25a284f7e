/** @jsxImportSource vue */
// The page that waits until a mailed link is opened, and takes the code beside a sign-in link.
import type { EmailLink } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import type { AppError } from '#fairway/server/kernel/http/app-error'
import { renderPage, type ServerPage } from '#fairway/server/kernel/server-page/render-page'
import { SIGN_IN_PATH } from '#fairway/shared/paths'
import { Alert, CodeField, LanguageForm, OutboxLink } from './page-parts'
import { waitingScript } from './page-scripts'
import { fill, messagesOf } from '#fairway/server/kernel/messages'
import type { Language } from '#fairway/shared/languages'

/** The step of the sign-in page that waits for a mailed link. */
export const CHECK_MAIL = 'check-mail'

/** The intent of the form for the code beside a sign-in link. */
export const MAILED_CODE_INTENT = 'mailed-code'

interface CheckMailState {
  language: Language
  /** The link that this browser waits for, if any. */
  link?: EmailLink
  /** The error of a posted code. */
  error?: AppError
  /** The notice after "Continue" or "Mail it again". */
  notice?: 'not-yet' | 'mailed-again' | 'ended'
}

/** The page that waits until a mailed link is opened, here or on another device. */
export function checkMailPage(app: App, { language, link, notice, error }: CheckMailState): Promise<ServerPage> {
  const texts = messagesOf(language).checkMail
  const { email } = link ?? {}
  const hasCode = link?.payload.codeHash !== undefined
  const lead = hasCode ? texts.leadCode : email === undefined ? texts.lead : texts.leadTo
  const body = (
    <>
      <div class="card steady">
        <div data-waiting hidden={notice === 'ended'}>
          <h1>{texts.title}</h1>
          <p class="lead">{fill(lead, { email: email ?? '' })}</p>
          <p class="note" role="status" hidden={notice === undefined}>
            {notice && texts[notice]}
          </p>
          {error ? <Alert error={error} language={language} /> : null}
          {hasCode && error?.code !== 'code-ended' ? <MailedCode language={language} /> : null}
          <form method="post">
            <button name="intent" value="continue" class={hasCode && 'quiet'}>
              {texts.goOn}
            </button>
            {/* The script only shows the countdown; the server enforces its own limit. */}
            <button name="intent" value="resend" class="quiet" data-wait={texts.resendIn}>
              {texts.resend}
            </button>
          </form>
          <p class="foot">
            <a href={SIGN_IN_PATH} data-keep-query>
              {texts.back}
            </a>
          </p>
          <p class="foot">{texts.nothing}</p>
        </div>
        <div data-ended role="status" hidden={notice !== 'ended'}>
          <h1>{texts.endedTitle}</h1>
          <p class="lead">{texts.ended}</p>
          <a class="button" href={SIGN_IN_PATH} data-keep-query>
            {texts.askAgain}
          </a>
        </div>
        <OutboxLink app={app} language={language} />
      </div>
      <LanguageForm language={language} />
    </>
  )
  return renderPage(app, { page: 'check-mail', title: texts.title, language, body, script: waitingScript })
}

function MailedCode({ language }: { language: Language }) {
  const { code, useCode } = messagesOf(language).checkMail
  return (
    <form method="post">
      <CodeField id="mailed-code" label={code} />
      <button name="intent" value={MAILED_CODE_INTENT}>
        {useCode}
      </button>
    </form>
  )
}
