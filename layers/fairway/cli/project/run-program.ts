import { spawn } from 'node:child_process'

const shell = process.platform === 'win32'

/** Runs a program to its end and gives its exit code; people see what it writes. It is null where a signal has ended it. */
export function runProgram(command: string, args: string[], cwd: string): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, shell, stdio: ['ignore', 'inherit', 'inherit'] })
    const passOn = (signal: NodeJS.Signals) => {
      // A terminal sends ^C to all of its programs, so there the child has it already.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    }
    process.on('SIGTERM', passOn).on('SIGINT', passOn)
    child.once('error', reject)
    child.once('close', code => {
      process.off('SIGTERM', passOn).off('SIGINT', passOn)
      resolve(code)
    })
  })
}

/** What a program writes to standard output; throws with what it wrote to standard error where it fails. */
export function outputOf(command: string, args: string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, shell, stdio: ['ignore', 'pipe', 'pipe'] })
    const written = { out: '', err: '' }
    child.stdout.on('data', chunk => (written.out += String(chunk)))
    child.stderr.on('data', chunk => (written.err += String(chunk)))
    child.once('error', reject)
    child.once('close', code =>
      code === 0 ? resolve(written.out) : reject(new Error(`${command} ${args[0]} failed:\n${written.err.trim()}`)),
    )
  })
}
