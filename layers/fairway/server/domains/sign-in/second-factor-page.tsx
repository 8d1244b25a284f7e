/** @jsxImportSource vue */
import type { App } from '#fairway/server/kernel/app-context'
import type { AppError } from '#fairway/server/kernel/http/app-error'
import { oneClickScript } from '#fairway/server/kernel/server-page/note-page'
import { renderPage, type ServerPage } from '#fairway/server/kernel/server-page/render-page'
import { SIGN_IN_PATH } from '#fairway/shared/paths'
import { messagesOf } from '#fairway/server/kernel/messages'
import type { Language } from '#fairway/shared/languages'
import { Alert } from './page-parts'

export const SECOND_FACTOR_INTENT = 'second-factor'
/** The step of the sign-in page that asks for the code, for those who come from elsewhere. */
export const CODE_STEP = 'code'

/** Whether a posted form is to be answered with the page that asks for the code: after the right password, and after a wrong code while more tries are left. */
export function asksForCode(form: { intent?: string }, error: AppError): boolean {
  if (error.code === 'second-factor-required') return true
  return form.intent === SECOND_FACTOR_INTENT && ['invalid-code', 'invalid-input', 'rate-limited'].includes(error.code)
}

/** The page that asks for the code of the second factor; it posts to its own address, so the return path stays in the query. */
export function secondFactorPage(app: App, language: Language, error?: AppError): Promise<ServerPage> {
  const texts = messagesOf(language).secondFactor
  const body = (
    <div class="card">
      <h1>{texts.title}</h1>
      <p class="lead">{texts.lead}</p>
      {!error || error.code === 'second-factor-required' ? null : <Alert language={language} error={error} />}
      <form method="post">
        <div class="field">
          <label for="code">{texts.code}</label>
          <input
            id="code"
            name="code"
            required
            autofocus
            autocomplete="one-time-code"
            inputmode="numeric"
            maxlength={10}
          />
        </div>
        <Submit label={texts.button} />
      </form>
      <details class="other">
        <summary>{texts.backup}</summary>
        <form method="post">
          <div class="field">
            <label for="backup-code">{texts.backupCode}</label>
            <input id="backup-code" name="code" required autocomplete="off" autocapitalize="off" spellcheck="false" />
          </div>
          <Submit label={texts.button} />
        </form>
      </details>
      <p class="foot">
        <a href={SIGN_IN_PATH}>{texts.back}</a>
      </p>
    </div>
  )
  return renderPage(app, { page: 'second-factor', title: texts.title, language, body, script: oneClickScript })
}

const Submit = ({ label }: { label: string }) => (
  <button name="intent" value={SECOND_FACTOR_INTENT}>
    {label}
  </button>
)
