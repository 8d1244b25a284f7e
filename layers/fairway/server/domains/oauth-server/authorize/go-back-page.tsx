/** @jsxImportSource vue */
import type { App } from '#fairway/server/kernel/app-context'
import { renderPage, type ServerPage } from '#fairway/server/kernel/server-page/render-page'
import { consentTexts as texts } from './consent-texts'

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
      <p class="lead">{texts.goBackLead(clientName)}</p>
      <a class="button" href={location}>
        {texts.goBack(clientName)}
      </a>
      <p class="foot">{texts.goBackHint}</p>
    </div>
  )
  return renderPage(app, { page: 'consent', title, language: 'en', body })
}
