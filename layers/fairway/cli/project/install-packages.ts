import { detectPackageManager } from 'nypm'
import { runProgram } from './run-program'

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
