/** @jsxImportSource vue */
import type { App } from '#fairway/server/kernel/app-context'
import { renderPage, type ServerPage } from '#fairway/server/kernel/server-page/render-page'
import { SIGN_IN_PATH } from '#fairway/shared/paths'
import { messagesOf } from '#fairway/server/kernel/messages'
import type { Language } from '#fairway/shared/languages'
import { LanguageForm, OutboxLink } from './page-parts'
import { waitingScript } from './sign-in-script'

interface CheckMailState {
  language: Language
  /** What the visitor is told after "Continue" or "Mail it again". */
  notice?: 'not-yet' | 'mailed-again' | 'ended'
}

/** The page that waits for a mailed link to be opened, here or on another device; it names no address, so it is the same for everybody. */
export function checkMailPage(app: App, { language, notice }: CheckMailState): Promise<ServerPage> {
  const texts = messagesOf(language).checkMail
  const body = (
    <>
      <div class="card">
        <h1>{texts.title}</h1>
        <p class="lead">{texts.lead}</p>
        <p class="banner" role="status" data-ended hidden={notice === undefined}>
          {texts[notice ?? 'ended']}
        </p>
        <form method="post">
          <button name="intent" value="continue">
            {texts.goOn}
          </button>
          <p class="foot">
            <button name="intent" value="resend" class="link">
              {texts.resend}
            </button>
          </p>
        </form>
        <p class="foot">
          <a href={SIGN_IN_PATH} data-keep-query>
            {texts.back}
          </a>
        </p>
        <OutboxLink app={app} language={language} />
      </div>
      <LanguageForm language={language} />
    </>
  )
  return renderPage(app, { page: 'check-mail', title: texts.title, language, body, script: waitingScript })
}
