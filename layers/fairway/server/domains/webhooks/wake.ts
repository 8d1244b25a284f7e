import type { App } from '#fairway/server/kernel/app-context'

interface Wake {
  /** Looks at the logs and at what is due; set while this process delivers. */
  look?: () => void
}

const wakeOf = (app: App): Wake => app.memo('webhook-wake', () => ({}))

/** Says what is called when there may be something to deliver; nothing when not given. */
export function onWake(app: App, look: (() => void) | undefined): void {
  wakeOf(app).look = look
}

/** Says that there may be something to deliver. */
export const wakeWebhooks = (app: App): void => wakeOf(app).look?.()
