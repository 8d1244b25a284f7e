/** @jsxImportSource vue */
import { messagesOf } from '#fairway/server/kernel/messages'
import type { Language } from '#fairway/shared/languages'
import { PASSKEY_BOX_ID } from './passkey-script'

/** The button for signing in with a passkey; the script shows it where the browser can. */
export function PasskeyButton({ language }: { language: Language }) {
  const { button, failed } = messagesOf(language).signIn.passkey
  return (
    <div class="other" id={PASSKEY_BOX_ID} hidden>
      <div class="alert" role="alert" hidden>
        {failed} <small />
      </div>
      <button type="button" class="quiet">
        {button}
      </button>
    </div>
  )
}
