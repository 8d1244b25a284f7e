import { fileURLToPath } from 'node:url'
import { type Program, startProgram } from '../../../../support/program'

/** The limit of a test that starts processes: on a busy machine eight of them take ten seconds just to load. */
export const WITH_PROCESSES = { timeout: 60_000 }

/** Starts one of the programs of this folder as a process of its own. */
export const startProcess = (program: string, ...args: string[]): Program =>
  startProgram(fileURLToPath(new URL(`${program}.mjs`, import.meta.url)), args)
