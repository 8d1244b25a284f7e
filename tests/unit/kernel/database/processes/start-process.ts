import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The limit of a test that starts processes: on a busy machine eight of them take ten seconds just to load. */
export const WITH_PROCESSES = { timeout: 60_000 }

export interface Process {
  /** Everything the process has told so far. */
  told: string[]
  /** Resolves when the process has told this; rejects when it ends before. */
  hears(text: string): Promise<void>
  say(text: string): void
  kill(): Promise<void>
  /** Resolves when the process has ended by itself without a failure. */
  done(): Promise<void>
}

/** Starts one of the programs of this folder as a process of its own. */
export function startProcess(program: string, ...args: string[]): Process {
  const path = fileURLToPath(new URL(`${program}.mjs`, import.meta.url))
  const child = fork(path, args, { execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  const told: string[] = []
  let failure = ''
  child.on('message', message => told.push(String(message)))
  child.stderr?.on('data', (chunk: Buffer) => (failure += chunk.toString()))
  const exit = once(child, 'exit')

  return {
    told,
    async hears(text) {
      while (!told.includes(text)) {
        await Promise.race([once(child, 'message'), exit])
        if (child.exitCode !== null && !told.includes(text)) throw new Error(`${program} ended: ${failure}`)
      }
    },
    say: text => child.send(text),
    async kill() {
      child.kill('SIGKILL')
      await exit
    },
    async done() {
      await exit
      if (child.exitCode !== 0) throw new Error(`${program} ended with ${child.exitCode}: ${failure}`)
    },
  }
}
