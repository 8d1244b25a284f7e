import { rmSync } from 'node:fs'
import { bundleServerCode } from '../../../../../scripts/load-server-code.mjs'
import { type Program, startProgram } from '../../../../support/program'

/** How far a clock must move until another process takes the jobs of a dead one. */
export const PAST_THE_LEASE_IN_MS = 31_000

/** Processes that run the job `write-rows`. */
export interface Workers {
  /** Resolves when a process has loaded. It works after any message, on a clock that is ahead by this time. */
  load(url: string, aheadInMs: number): Promise<Program>
  remove(): void
}

/** Bundles the program once, because each process would need two seconds to load otherwise. */
export async function bundleWorkers(): Promise<Workers> {
  const bundle = await bundleServerCode('tests/unit/kernel/jobs/processes/work.ts', { isWhole: true })
  return {
    async load(url, aheadInMs) {
      const worker = startProgram(bundle, [url, String(aheadInMs)])
      await worker.hears('ready')
      return worker
    },
    remove: () => rmSync(bundle),
  }
}
