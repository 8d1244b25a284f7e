/** @jsxImportSource vue */
import type { VNode } from 'vue'
import { desktopTexts as texts } from './desktop-texts'

/** The button that signs out, to come back as somebody else. */
export const otherAccountForm = (): VNode => (
  <form method="post" class="below">
    <button name="decision" value="other" class="quiet">
      {texts.otherAccount}
    </button>
  </form>
)
