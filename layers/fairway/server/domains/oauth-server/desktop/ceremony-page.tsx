/** @jsxImportSource vue */
import type { VNode } from 'vue'
import type { App } from '#fairway/server/kernel/app-context'
import { fill, messagesOf, offered } from '#fairway/server/kernel/messages'
import type { HubApp } from '#fairway/server/kernel/config/identity-registry'
import { cardPage, oneClickScript } from '#fairway/server/kernel/server-page/note-page'
import type { ServerPage } from '#fairway/server/kernel/server-page/render-page'
import type { Language } from '#fairway/shared/languages'
import type { Session } from '#fairway/shared/schemas/session'

/** The texts of the pages of a ceremony. */
export const textsOf = (language: Language = offered.defaultLanguage) => messagesOf(language).desktopSignIn

/**
 * Builds the page where a person confirms that this computer signs them in to their applications. It works without JavaScript.
 */
export function ceremonyPage(app: App, session: Session, language?: Language): Promise<ServerPage> {
  const texts = textsOf(language)
  const children = [
    <dl>
      <dt>{texts.account}</dt>
      <dd>
        <strong>{session.email}</strong>
      </dd>
      <dt>{texts.apps}</dt>
      <Applications apps={app.config.identity.hub?.apps ?? []} noApps={texts.noApps} />
    </dl>,
    <p class="banner">{texts.warning}</p>,
    // A form without an action posts to the page's own address, so its query carries the nonce.
    <form method="post">
      <input type="hidden" name="account" value={session.userId} />
      <button name="decision" value="continue">
        {texts.proceed}
      </button>
      {canSignOut(app) ? (
        <button name="decision" value="other" class="quiet">
          {texts.otherAccount}
        </button>
      ) : null}
    </form>,
    <p class="foot">{texts.ending}</p>,
  ]
  return cardPage(app, {
    page: 'desktop',
    title: texts.title,
    lead: fill(texts.lead, { product: app.config.name }),
    children,
    script: oneClickScript,
    language,
  })
}

/** Whether this application can sign people out. */
export const canSignOut = ({ config }: App): boolean =>
  config.customSignIn === null || config.customSignIn.endSession !== undefined

function Applications({ apps, noApps }: { apps: readonly HubApp[]; noApps: string }) {
  if (apps.length === 0) return <dd>{noApps}</dd>
  return (
    <>
      {apps.map(({ appId, origin }) => (
        <dd key={appId}>
          <strong>{appId}</strong> ({origin.replace(/^https:\/\//, '')})
        </dd>
      ))}
    </>
  )
}

/** The button that signs out, to return as another person. */
export const otherAccountForm = (text: string): VNode => (
  <form method="post" class="below">
    <button name="decision" value="other" class="quiet">
      {text}
    </button>
  </form>
)
