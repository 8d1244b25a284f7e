import type { App } from './app-context'

const state = (app: App) => app.memo('stopping', () => ({ value: false }))

/** Says that this process is about to stop, so that no new work is sent to it. */
export function markStopping(app: App): void {
  state(app).value = true
}

/** Whether this process was told to stop. */
export const isStopping = (app: App): boolean => state(app).value
