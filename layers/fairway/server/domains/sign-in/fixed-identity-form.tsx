/** @jsxImportSource vue */
import { messagesOf } from '#fairway/server/kernel/messages'
import type { Language } from '#fairway/shared/languages'

/** The way back for a browser that signed out although sign-in is disabled. */
export const FixedIdentityForm = ({ language }: { language: Language }) => (
  <form method="post">
    <p class="banner">{messagesOf(language).signIn.fixedIdentity.lead}</p>
    <button name="intent" value="fixed-identity" class="quiet">
      {messagesOf(language).signIn.fixedIdentity.button}
    </button>
  </form>
)
