/** @jsxImportSource vue */
import type { App } from '#fairway/server/kernel/app-context'
import { renderPage, type ServerPage } from '#fairway/server/kernel/server-page/render-page'
import { messagesOf } from '#fairway/server/kernel/messages'
import type { Language } from '#fairway/shared/languages'
import { signInScript } from './sign-in-script'

/** The page of an application whose people sign in elsewhere; the same bytes for every visitor. */
export function signInElsewherePage(app: App, language: Language): Promise<ServerPage> {
  return app.memo(`sign-in-elsewhere/${language}`, () => {
    const { title, lead, wait } = messagesOf(language).signIn.elsewhere
    const other: Language = language === 'en' ? 'de' : 'en'
    const body = (
      <>
        <div class="card">
          <h1>{title}</h1>
          <p class="lead">{lead}</p>
          <p>{wait}</p>
        </div>
        <form method="post" class="languages">
          <button name="language" value={other} class="link" lang={other}>
            {messagesOf(language).signIn.otherLanguage}
          </button>
        </form>
      </>
    )
    return renderPage(app, { page: 'sign-in', title, language, body, script: signInScript })
  })
}

/** Where people sign in instead, with `return` naming the address to come back to; undefined when the application names no place. */
export function signInUrlFor(app: App, returnPath: string): string | undefined {
  const { baseUrl, customSignIn } = app.config
  if (!customSignIn?.signInUrl) return undefined
  const url = new URL(customSignIn.signInUrl, baseUrl)
  url.searchParams.set('return', baseUrl + returnPath)
  return url.origin === baseUrl ? url.pathname + url.search + url.hash : url.href
}
