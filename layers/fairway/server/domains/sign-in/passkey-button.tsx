/** @jsxImportSource vue */
import { PASSKEY_BOX_ID } from './passkey-script'
import type { Language } from './sign-in-texts'

const texts = {
  en: { button: 'Sign in with a passkey', failed: 'Signing in with this passkey did not work.' },
  de: { button: 'Mit einem Passkey anmelden', failed: 'Die Anmeldung mit diesem Passkey hat nicht geklappt.' },
} satisfies Record<Language, { button: string; failed: string }>

/** The button for signing in with a passkey; the script shows it where the browser can. */
export function PasskeyButton({ language }: { language: Language }) {
  const { button, failed } = texts[language]
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
