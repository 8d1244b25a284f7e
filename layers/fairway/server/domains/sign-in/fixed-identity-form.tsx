/** @jsxImportSource vue */
import type { Language } from './sign-in-texts'

const texts: Record<Language, { lead: string; button: string }> = {
  en: {
    lead: 'Sign-in is switched off on this server: everybody is the same person.',
    button: 'Go on without signing in',
  },
  de: {
    lead: 'Die Anmeldung ist auf diesem Server ausgeschaltet: alle sind dieselbe Person.',
    button: 'Ohne Anmeldung weiter',
  },
}

/** The way back for a browser that signed out although sign-in is disabled. */
export const FixedIdentityForm = ({ language }: { language: Language }) => (
  <form method="post">
    <p class="banner">{texts[language].lead}</p>
    <button name="intent" value="fixed-identity" class="quiet">
      {texts[language].button}
    </button>
  </form>
)
