/** @jsxImportSource vue */
import type { App } from '#fairway/server/kernel/app-context'
import { renderPage, type ServerPage } from '#fairway/server/kernel/server-page/render-page'
import { signInScript } from './sign-in-script'
import { signInTexts, type Language } from './sign-in-texts'

const texts: Record<Language, { title: string; lead: string; wait: string }> = {
  en: {
    title: 'You sign in elsewhere',
    lead: 'This application has no sign-in of its own: it takes over who you are from the place that led you here.',
    wait: 'Sign in there. This page goes on by itself as soon as you are signed in.',
  },
  de: {
    title: 'Sie melden sich anderswo an',
    lead: 'Diese Anwendung hat keine eigene Anmeldung: sie übernimmt von dort, wo Sie herkommen, wer Sie sind.',
    wait: 'Melden Sie sich dort an. Diese Seite geht von selbst weiter, sobald Sie angemeldet sind.',
  },
}

/** The page of an application whose people sign in elsewhere; the same bytes for every visitor. */
export function signInElsewherePage(app: App, language: Language): Promise<ServerPage> {
  return app.memo(`sign-in-elsewhere/${language}`, () => {
    const { title, lead, wait } = texts[language]
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
            {signInTexts[language].otherLanguage}
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
