import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { sampleDir } from '../../scripts/sample.mjs'
import { databaseOf, type TestServer } from './server'

/** What the command `fw` runs. */
export const FW_PROGRAM = fileURLToPath(new URL('../../layers/fairway/cli/fw.mjs', import.meta.url))

interface Ended {
  code: number | null
  out: string
  err: string
  /** What it wrote to both, in the order in which it came. */
  both: string
}

export interface RunningFw {
  /** What it has written to standard output and to standard error so far, together. */
  output(): string
  /** Waits until its output matches, and gives the match; throws when it ends or takes too long before. */
  until(pattern: RegExp, limitInMs?: number): Promise<string>
  ended: Promise<Ended>
  /** Writes to its standard input. */
  write(text: string): void
  /** Ends its standard input. */
  end(): void
  kill(signal?: NodeJS.Signals): void
}

/** Starts the command line with an environment of its own, in the sample unless said otherwise. */
export function startFw(args: string[], env: Record<string, string> = {}, cwd: string = sampleDir): RunningFw {
  // A folder of a server names its database, where that is not a file in it.
  const database = env.FW_DATA_DIR ? databaseOf({ dataDir: env.FW_DATA_DIR }) : 'file:'
  const own = {
    PATH: process.env.PATH ?? '',
    ...(database.startsWith('file:') ? {} : { DATABASE_URL: database }),
    ...env,
  }
  const child = spawn(process.execPath, [FW_PROGRAM, ...args], { cwd, env: own })
  const written = { out: '', err: '', both: '' }
  const keep = (stream: 'out' | 'err') => (chunk: unknown) => {
    written[stream] += String(chunk)
    written.both += String(chunk)
  }
  child.stdout.on('data', keep('out'))
  child.stderr.on('data', keep('err'))
  const ended = new Promise<Ended>(resolve => child.once('close', code => resolve({ code, ...written })))
  return {
    output: () => written.both,
    ended,
    write: text => void child.stdin.write(text),
    end: () => void child.stdin.end(),
    kill: signal => void child.kill(signal),
    async until(pattern, limitInMs = 20_000) {
      const limit = performance.now() + limitInMs
      for (;;) {
        const found = pattern.exec(written.both)
        if (found) return found[1] ?? found[0]
        if (child.exitCode !== null || performance.now() > limit)
          throw new Error(`no ${pattern} in the output:\n${written.both}`)
        await new Promise(resolve => setTimeout(resolve, 20))
      }
    },
  }
}

/** Runs the command line to its end. */
export const fw = (args: string[], env?: Record<string, string>): Promise<Ended> => startFw(args, env).ended

/** The same over the data of a server. */
export const fwBeside = (server: TestServer, args: string[], env: Record<string, string> = {}): Promise<Ended> =>
  fw(args, { FW_DATA_DIR: server.dataDir, BETTER_AUTH_SECRET: server.secret, ...env })
