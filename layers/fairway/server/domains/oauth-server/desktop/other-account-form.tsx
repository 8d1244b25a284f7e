/** @jsxImportSource vue */
import type { VNode } from 'vue'
import { messagesOf } from '#fairway/server/kernel/messages'

/** The button that signs out, to come back as somebody else. */
export const otherAccountForm = (): VNode => (
  <form method="post" class="below">
    <button name="decision" value="other" class="quiet">
      {messagesOf('en').desktopSignIn.otherAccount}
    </button>
  </form>
)
