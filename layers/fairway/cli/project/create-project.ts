import { relative } from 'node:path'
import { installPackages } from './install-packages'
import { outputOf } from './run-program'
import { type PackageSource, placePackage } from './package-source'
import { writeNewFolder } from './write-files'

export interface ProjectInput {
  folder: string
  files: ReadonlyMap<string, string>
  source: PackageSource
  install: boolean
  git: boolean
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** Makes a project and gives the exit code. Interrupted, it removes what it has made, so that the same command can be given again. */
export async function createProject({ folder, files, source, install, git }: ProjectInput): Promise<number> {
  const interrupted = { by: undefined as NodeJS.Signals | undefined }
  const note = (signal: NodeJS.Signals) => void (interrupted.by = signal)
  process.on('SIGINT', note).on('SIGTERM', note)
  const undo = writeNewFolder(folder, files)
  try {
    placePackage(source, folder)
    say(`${files.size} files written into ${shown(folder)}.`)
    if (git) await beginRepository(folder)
    const installed = install ? await installPackages(folder) : undefined
    // A signal that has come meanwhile is handled when the loop turns.
    await new Promise(resolve => setImmediate(resolve))
    if (interrupted.by) return cancel(undo, folder)
    tellNext(folder, installed)
    return installed === false ? 1 : 0
  } catch (error) {
    undo()
    throw error
  } finally {
    process.off('SIGINT', note).off('SIGTERM', note)
  }
}

function cancel(undo: () => void, folder: string): number {
  undo()
  process.stderr.write(`Cancelled; what was written into ${shown(folder)} is removed.\n`)
  return 130
}

const shown = (folder: string): string => relative(process.cwd(), folder) || '.'

async function beginRepository(folder: string): Promise<void> {
  const isInside = await outputOf('git', ['rev-parse', '--is-inside-work-tree'], folder).then(
    () => true,
    () => false,
  )
  if (isInside) return
  // Without git on this machine there is no repository, and nothing is missing.
  await outputOf('git', ['init', '--quiet'], folder).catch(() => undefined)
}

function tellNext(folder: string, installed: boolean | undefined): void {
  if (installed === false) say('The project is complete otherwise.')
  const steps = [`cd ${shown(folder)}`, ...(installed ? [] : ['npm install']), 'npm run dev']
  say(`Next:\n${steps.map(step => `  ${step}`).join('\n')}`)
}
