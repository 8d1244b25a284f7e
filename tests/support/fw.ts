import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { sampleDir } from '../../scripts/sample.mjs'
import { databaseOf, type TestServer } from './server'

/** The program behind the command `fw`. */
export const FW_PROGRAM = fileURLToPath(new URL('../../layers/fairway/cli/fw.mjs', import.meta.url))

interface Ended {
  code: number | null
  out: string
  err: string
  /** The output of both streams, in the order of arrival. */
  both: string
}

export interface RunningFw {
  /** The output so far, standard output and standard error together. */
  output(): string
  /** Returns the first group or the match once the output matches; throws when the program ends first or time runs out. */
  until(pattern: RegExp, limitInMs?: number): Promise<string>
  ended: Promise<Ended>
  /** Writes to standard input. */
  write(text: string): void
  /** Closes standard input. */
  end(): void
  kill(signal?: NodeJS.Signals): void
}

/** Starts the command line in a clean environment; the default folder is the sample. */
export function startFw(args: string[], env: Record<string, string> = {}, cwd: string = sampleDir): RunningFw {
  // The data folder of a test's server contains the address of its database when that is not a file.
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

/** Runs the command line until it ends. */
export const fw = (args: string[], env?: Record<string, string>): Promise<Ended> => startFw(args, env).ended

/** Runs the command line on the data of a server. */
export const fwBeside = (server: TestServer, args: string[], env: Record<string, string> = {}): Promise<Ended> =>
  fw(args, { FW_DATA_DIR: server.dataDir, BETTER_AUTH_SECRET: server.secret, ...env })
