import { fileURLToPath } from 'node:url'
import { type Program, startProgram } from '../../../../support/program'

/** The time limit of tests that start processes. On a busy machine, eight of them take ten seconds just to load. */
export const WITH_PROCESSES = { timeout: 60_000 }

/** Starts a program of this folder in a separate process. */
export const startProcess = (program: string, ...args: string[]): Program =>
  startProgram(fileURLToPath(new URL(`${program}.mjs`, import.meta.url)), args)
