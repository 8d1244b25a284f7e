/** @jsxImportSource vue */
import type { VNode } from 'vue'
import type { App } from '#fairway/server/kernel/app-context'
import type { HubApp } from '#fairway/server/kernel/config/identity-registry'
import { cardPage } from '#fairway/server/kernel/server-page/card-page'
import { oneClickScript } from '#fairway/server/kernel/server-page/one-click-script'
import type { ServerPage } from '#fairway/server/kernel/server-page/render-page'
import type { Session } from '#fairway/shared/schemas/session'

/** What the pages of desktop sign-in say. */
export const desktopTexts = {
  title: 'Sign in on this computer?',
  lead: (product: string) =>
    `A desktop application on this computer asks to sign you in to ${product} and to the applications of your workspace.`,
  account: 'Account',
  apps: 'Applications',
  noApps: 'None is registered yet.',
  warning: 'Go on only if you have just chosen to sign in, in the desktop application on this computer.',
  proceed: 'Continue',
  otherAccount: 'Use another account',
  ending: 'Otherwise close this window; nothing happens then.',

  completeTitle: 'You can close this window',
  completeLead: 'The desktop application goes on by itself and signs you in to your applications.',

  againTitle: 'Begin again in the desktop application',
  againLead:
    'This sign-in was not begun in this window. Whoever sent you here may want to use your account: confirm nothing that you have not begun yourself.',
  endedTitle: 'This sign-in has ended',
  endedLead: 'It was finished, or it is older than five minutes. Begin again in the desktop application.',
  confirmedTitle: 'This was confirmed already',
  confirmedLead: 'Nothing has changed. You can close this window.',
  confirmedLink: 'Go on',
  signedOutTitle: 'You are signed out',
  signedOutLead: 'Begin again in the desktop application.',

  unverifiedTitle: 'Confirm your e-mail address first',
  unverifiedLead: (email: string) =>
    `Other applications recognise you by ${email}. Open the link that was mailed to you, then come back here.`,
  developmentTitle: 'Sign in with an account of your own',
  developmentLead: 'The development account is known to no other application.',
  tryAgain: 'Try again',
} as const

/** The page on which a person confirms that this computer signs them in to their applications; it works without JavaScript. */
export function ceremonyPage(app: App, session: Session): Promise<ServerPage> {
  const children = [
    <dl>
      <dt>{desktopTexts.account}</dt>
      <dd>
        <strong>{session.email}</strong>
      </dd>
      <dt>{desktopTexts.apps}</dt>
      <Applications apps={app.config.identity.hub?.apps ?? []} />
    </dl>,
    <p class="banner">{desktopTexts.warning}</p>,
    // A form without an action posts to the page's own address, so the nonce rides along in the query.
    <form method="post">
      <input type="hidden" name="account" value={session.userId} />
      <button name="decision" value="continue">
        {desktopTexts.proceed}
      </button>
      {canSignOut(app) ? (
        <button name="decision" value="other" class="quiet">
          {desktopTexts.otherAccount}
        </button>
      ) : null}
    </form>,
    <p class="foot">{desktopTexts.ending}</p>,
  ]
  return cardPage(app, {
    page: 'desktop',
    title: desktopTexts.title,
    lead: desktopTexts.lead(app.config.name),
    children,
    script: oneClickScript,
  })
}

/** Whether people can be signed out here at all. */
export const canSignOut = ({ config }: App): boolean =>
  config.customSignIn === null || config.customSignIn.endSession !== undefined

function Applications({ apps }: { apps: readonly HubApp[] }) {
  if (apps.length === 0) return <dd>{desktopTexts.noApps}</dd>
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

/** The button that signs out, to come back as another person. */
export const otherAccountForm = (): VNode => (
  <form method="post" class="below">
    <button name="decision" value="other" class="quiet">
      {desktopTexts.otherAccount}
    </button>
  </form>
)
