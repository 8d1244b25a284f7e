import { spawn } from 'node:child_process'
import { detectPackageManager } from 'nypm'

/** Installs the packages of a project with the package manager of its lockfile, and returns whether that succeeded. */
export async function installPackages(folder: string): Promise<boolean> {
  const manager = await detectPackageManager(folder, { ignoreArgv: true })
  const command = manager?.command ?? 'npm'
  // Hides npm's reports that an author cannot act on.
  const quiet = command === 'npm' ? ['--no-audit', '--no-fund', '--loglevel=error'] : []
  process.stdout.write('Installing packages; the first time this takes a minute or two …\n')
  const began = performance.now()
  const isInstalled = (await runProgram(command, ['install', ...quiet], folder)) === 0
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  process.stdout.write(
    isInstalled
      ? `Packages installed in ${seconds} s.\n`
      : 'The packages could not be installed; the reason stands above.\n',
  )
  return isInstalled
}

const shell = process.platform === 'win32'

/** Runs a program to its end with visible output and returns its exit code; null when a signal ended it. */
export function runProgram(command: string, args: string[], cwd: string): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, shell, stdio: ['ignore', 'inherit', 'inherit'] })
    const passOn = (signal: NodeJS.Signals) => {
      // A terminal sends ^C to all of its programs, so the child has received it already.
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

/** Returns a program's standard output; throws its standard error when it fails. */
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
