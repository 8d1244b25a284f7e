/** @jsxImportSource vue */
import type { App } from '#fairway/server/kernel/app-context'
import { preferredLanguage, renderPage, type ServerPage } from '#fairway/server/kernel/server-page/render-page'

const texts = {
  en: {
    start: 'Open this view',
    startLead: 'It belongs to {name} and is shown here by another page.',
    startButton: 'Open',
    refused: 'This view cannot be opened',
    refusedLead:
      'The link to it works once and for five minutes. Load the page around this frame again to get a new one.',
  },
  de: {
    start: 'Diese Ansicht öffnen',
    startLead: 'Sie gehört zu {name} und wird hier von einer anderen Seite gezeigt.',
    startButton: 'Öffnen',
    refused: 'Diese Ansicht lässt sich nicht öffnen',
    refusedLead:
      'Der Link dazu gilt einmal und fünf Minuten lang. Laden Sie die Seite um diesen Rahmen herum neu, dann gibt es einen neuen.',
  },
} as const

/** The page for whatever is not a person's own navigation (a scanner, a preview, an old browser): it opens nothing by itself. */
export function embedStartPage(app: App, ticket: string, acceptLanguage: string | undefined): Promise<ServerPage> {
  const language = preferredLanguage(acceptLanguage)
  const { start, startLead, startButton } = texts[language]
  const body = (
    <div class="card">
      <h1>{start}</h1>
      <p class="lead">{startLead.replace('{name}', app.config.name)}</p>
      <form method="post" action="start">
        <input type="hidden" name="ticket" value={ticket} />
        <button>{startButton}</button>
      </form>
    </div>
  )
  return renderPage(app, { page: null, title: start, language, body, frameAncestors: app.config.embedAncestors })
}

/** The page that says why there is nothing to see and what to do. */
export function embedRefusedPage(app: App, acceptLanguage: string | undefined): Promise<ServerPage> {
  const language = preferredLanguage(acceptLanguage)
  const { refused, refusedLead } = texts[language]
  const body = (
    <div class="card">
      <h1>{refused}</h1>
      <p class="lead">{refusedLead}</p>
      <p class="foot">
        <small>embed-ticket-ended</small>
      </p>
    </div>
  )
  return renderPage(app, { page: null, title: refused, language, body, frameAncestors: app.config.embedAncestors })
}
