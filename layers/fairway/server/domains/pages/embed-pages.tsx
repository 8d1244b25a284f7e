/** @jsxImportSource vue */
import type { App } from '#fairway/server/kernel/app-context'
import { fill, languageOf, messagesOf } from '#fairway/server/kernel/messages'
import { renderPage, type ServerPage } from '#fairway/server/kernel/server-page/render-page'

/**
 * The page for requests that are not a person's navigation (a scanner, a link preview, an old browser). It does not use the
 * ticket.
 */
export function embedStartPage(app: App, ticket: string, acceptLanguage: string | undefined): Promise<ServerPage> {
  const language = languageOf(acceptLanguage)
  const { start, startLead, startButton } = messagesOf(language).embedStart
  const body = (
    <div class="card">
      <h1>{start}</h1>
      <p class="lead">{fill(startLead, { name: app.config.name })}</p>
      <form method="post" action="start">
        <input type="hidden" name="ticket" value={ticket} />
        <button>{startButton}</button>
      </form>
    </div>
  )
  return renderPage(app, { page: null, title: start, language, body, frameAncestors: app.config.embedAncestors })
}

/** The page that explains why nothing is shown and what to do. */
export function embedRefusedPage(app: App, acceptLanguage: string | undefined): Promise<ServerPage> {
  const language = languageOf(acceptLanguage)
  const { refused, refusedLead } = messagesOf(language).embedStart
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
