import { fork } from 'node:child_process'
import { once } from 'node:events'
import { basename } from 'node:path'

export interface Program {
  /** All messages from the process so far. */
  told: string[]
  /** Resolves when the process has sent this message; rejects when it ends first. */
  hears(text: string): Promise<void>
  say(text: string): void
  kill(): Promise<void>
  /** Resolves when the process has exited with code 0. */
  done(): Promise<void>
}

/** Starts a file in a separate process, which exchanges messages with the test through `process.send`. */
export function startProgram(path: string, args: readonly string[]): Program {
  const name = basename(path)
  const child = fork(path, args, { execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  const told: string[] = []
  let failure = ''
  child.on('message', message => told.push(String(message)))
  child.stderr?.on('data', (chunk: Buffer) => (failure += chunk.toString()))
  const exit = once(child, 'exit')
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null

  return {
    told,
    async hears(text) {
      while (!told.includes(text)) {
        await Promise.race([once(child, 'message'), exit])
        if (hasEnded() && !told.includes(text)) throw new Error(`${name} ended: ${failure}`)
      }
    },
    say: text => child.send(text),
    async kill() {
      child.kill('SIGKILL')
      await exit
    },
    async done() {
      await exit
      if (child.exitCode !== 0) throw new Error(`${name} ended with ${child.exitCode}: ${failure}`)
    },
  }
}
