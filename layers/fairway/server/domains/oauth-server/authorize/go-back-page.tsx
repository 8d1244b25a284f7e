/** @jsxImportSource vue */
import type { App } from '#fairway/server/kernel/app-context'
import { fill, messagesOf } from '#fairway/server/kernel/messages'
import { renderPage, type ServerPage } from '#fairway/server/kernel/server-page/render-page'

const texts = messagesOf('en').consent

interface GoBack {
  location: string
  clientName: string
  isApproved: boolean
}

/** The page whose link leads back to an app that has an address of its own kind, for example `cursor://`. */
export function goBackPage(app: App, { location, clientName, isApproved }: GoBack): Promise<ServerPage> {
  const title = isApproved ? texts.approvedTitle : texts.notConnectedTitle
  const body = (
    <div class="card">
      <h1>{title}</h1>
      <p class="lead">{fill(texts.goBackLead, { client: clientName })}</p>
      <a class="button" href={location}>
        {fill(texts.goBack, { client: clientName })}
      </a>
      <p class="foot">{texts.goBackHint}</p>
    </div>
  )
  return renderPage(app, { page: 'consent', title, language: 'en', body })
}
