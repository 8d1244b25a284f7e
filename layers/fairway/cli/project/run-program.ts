import { spawn } from 'node:child_process'
import { detectPackageManager } from 'nypm'

/** Installs what the package.json of a project says, with the package manager of its lockfile, and gives whether that worked. */
export async function installPackages(folder: string): Promise<boolean> {
  const found = await detectPackageManager(folder, { ignoreArgv: true })
  const command = found?.command ?? 'npm'
  // npm reports what no author can do anything about.
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
