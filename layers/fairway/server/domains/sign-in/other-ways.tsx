/** @jsxImportSource vue */
import type { VNode } from 'vue'
import type { App } from '#fairway/server/kernel/app-context'
import { fill, messagesOf } from '#fairway/server/kernel/messages'
import type { Language } from '#fairway/shared/languages'
import { ErrorDetails } from '#fairway/server/kernel/server-page/note-page'
import { lineIcon, ProviderMark } from './page-parts'
import { PASSKEY_BOX_ID } from './page-scripts'
import { offeredProviders } from './provider-sign-in'

interface OtherWaysProps {
  app: App
  language: Language
  offersDev: boolean
  /** The error of a sign-in with the development account. */
  refusal: VNode
}

/** The number of equal rows, of which the last one is the passkey. */
const ROWS = 4

/** The section below the divider: the development account, the providers and the passkey. A disclosure hides the rest. */
export function OtherWays({ app, language, offersDev, refusal }: OtherWaysProps) {
  const texts = messagesOf(language).signIn
  const dev = offersDev ? [<DevButton text={texts.devButton} />] : []
  const providers = offeredProviders(app).map(({ id, name }) => (
    <button name="provider" value={id} class="quiet with-mark" key={id}>
      <ProviderMark id={id} />
      <span>{fill(texts.withProvider, { name })}</span>
    </button>
  ))
  const buttons = [...dev, ...providers]
  const first = buttons.slice(0, ROWS - 1)
  const rest = buttons.slice(ROWS - 1)
  return (
    // Without JavaScript, the section is hidden when a passkey is its only method. A new account has no passkey.
    <div class={['ways', buttons.length === 0 && 'proves']} hidden={buttons.length === 0}>
      <p class="or">{texts.or}</p>
      {refusal}
      {first.length > 0 ? <form method="post">{first}</form> : null}
      <PasskeyButton language={language} />
      {rest.length > 0 ? (
        <details class="more">
          <summary>{texts.moreWays}</summary>
          <form method="post">{rest}</form>
        </details>
      ) : null}
    </div>
  )
}

const DevButton = ({ text }: { text: string }) => (
  <button name="intent" value="dev" class="quiet">
    {text}
  </button>
)

/** The button to sign in with a passkey. The script shows it where the browser supports passkeys. */
function PasskeyButton({ language }: { language: Language }) {
  const { button, failed } = messagesOf(language).signIn.passkey
  return (
    <div class="proves" id={PASSKEY_BOX_ID} hidden>
      <div class="alert" role="alert" hidden>
        {failed}
        <ErrorDetails text="" language={language} />
      </div>
      <button type="button" class="quiet with-mark" value="passkey">
        <svg {...lineIcon}>
          <circle cx="8" cy="9" r="4" />
          <path d="M12 9h9v4m-4-4v3M2 21c0-4 2.5-6 6-6 2 0 3.5.7 4.5 1.8" />
        </svg>
        <span>{button}</span>
      </button>
    </div>
  )
}
