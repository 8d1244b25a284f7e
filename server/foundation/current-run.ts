import { AsyncLocalStorage } from 'node:async_hooks'
import type { Session } from '#shared/schemas/session'
import type { App } from './app-context'

/** On whose behalf, and with what, the code that asks is running. */
export interface Run {
  app: App
  session: Session | null
  /** Where the person's own program calls from; another application and the command line have none. */
  clientAddress?: string
}

const runs = new AsyncLocalStorage<Run>()

/** Runs `work` so that everything it calls finds this run. */
export const withRun = <T>(run: Run, work: () => T): T => runs.run(run, work)

/** The action run that the caller is part of, or undefined outside of one. */
export const findRun = (): Run | undefined => runs.getStore()

/** The action run that the caller is part of; throws outside of one. */
export function requireRun(): Run {
  const run = runs.getStore()
  if (!run) throw new Error('this may be called from an action only')
  return run
}
