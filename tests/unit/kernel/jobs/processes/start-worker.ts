import { rmSync } from 'node:fs'
import { bundleServerCode } from '../../../../../scripts/load-server-code.mjs'
import { type Program, startProgram } from '../../../../support/program'

/** How far a clock has to move until the jobs of a dead process are taken by another one. */
export const PAST_THE_LEASE_IN_MS = 31_000

/** Processes that run the job `write-rows`. */
export interface Workers {
  /** Resolves when a process has loaded. It works once it is told anything, on a clock that is so far ahead. */
  load(url: string, aheadInMs: number): Promise<Program>
  remove(): void
}

/** Bundles the program once, because each process would take two seconds to load otherwise. */
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
