/** @jsxImportSource vue */
import type { VNode } from 'vue'

/** The button that says no to an app, for pages on which nobody can say yes. */
export const denyForm = (ticket: string, text: string): VNode => (
  <form method="post" class="below">
    <input type="hidden" name="ticket" value={ticket} />
    <button name="decision" value="deny" class="quiet">
      {text}
    </button>
  </form>
)
