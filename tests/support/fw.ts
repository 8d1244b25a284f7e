import { spawn } from 'node:child_process'

interface Ended {
  code: number | null
  out: string
  err: string
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
  kill(): void
}

/** Starts the command line with an environment of its own. */
export function startFw(args: string[], env: Record<string, string> = {}): RunningFw {
  const child = spawn('node', ['cli/fw.mjs', ...args], { env: { PATH: process.env.PATH ?? '', ...env } })
  const written = { out: '', err: '', both: '' }
  const keep = (stream: 'out' | 'err') => (chunk: unknown) => {
    written[stream] += String(chunk)
    written.both += String(chunk)
  }
  child.stdout.on('data', keep('out'))
  child.stderr.on('data', keep('err'))
  const ended = new Promise<Ended>(resolve =>
    child.once('close', code => resolve({ code, out: written.out, err: written.err })),
  )
  return {
    output: () => written.both,
    ended,
    write: text => void child.stdin.write(text),
    end: () => void child.stdin.end(),
    kill: () => void child.kill(),
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
export const fw = (args: string[], env: Record<string, string> = {}): Promise<Ended> => startFw(args, env).ended
