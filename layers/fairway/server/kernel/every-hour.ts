import type { App } from './app-context'

const HOUR_IN_MS = 60 * 60 * 1000

/** Runs housekeeping once an hour while the process lives; a failure is logged and tried again an hour later. Gives a function that stops it. */
export function everyHour(app: App, tasks: readonly ((app: App) => Promise<void>)[]): () => void {
  const timer = setInterval(() => {
    for (const task of tasks) {
      task(app).catch((error: unknown) => app.log.error('housekeeping failed', { task: task.name, error }))
    }
  }, HOUR_IN_MS)
  timer.unref()
  return () => clearInterval(timer)
}
