import { relative, dirname, join } from 'node:path'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { installPackages, outputOf } from './run-program'
import { type PackageSource, placePackage } from './package-source'
import { say, sayNext } from '../terminal'

interface ProjectInput {
  folder: string
  files: ReadonlyMap<string, string>
  source: PackageSource
  install: boolean
  git: boolean
}

/**
 * Creates a project and returns the exit code. When interrupted, it removes the new files, so that the same command can run
 * again.
 */
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
    // Pending signals are handled when the event loop continues.
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
  // Without git on this machine there is no repository; the project is complete without one.
  await outputOf('git', ['init', '--quiet'], folder).catch(() => undefined)
}

function tellNext(folder: string, installed: boolean | undefined): void {
  if (installed === false) say('The project is complete otherwise.')
  sayNext([`cd ${shown(folder)}`, ...(installed ? [] : ['npm install']), 'npm run dev'])
}

/** Returns the problem with the folder for a new project, as a sentence; undefined when it is empty or missing. */
export function folderFault(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined
  const entries = readdirSync(folder).filter(name => name !== '.git')
  return entries.length === 0
    ? undefined
    : `${folder} is not empty: ${entries.slice(0, 3).join(', ')}${entries.length > 3 ? ', …' : ''}.`
}

/**
 * Writes files into an empty or missing folder. Returns a function that removes everything that was added to the folder since.
 */
function writeNewFolder(folder: string, files: ReadonlyMap<string, string>): () => void {
  const before = existsSync(folder) ? new Set(readdirSync(folder)) : undefined
  const undo = () => {
    if (!before) return rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    const added = readdirSync(folder).filter(name => !before.has(name))
    for (const name of added) rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 3 })
  }
  try {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
  } catch (error) {
    undo()
    throw error
  }
  return undo
}

// The names that npm accepts for a new package, without scopes: a project is a folder too.
const NAME = /^[a-z0-9][a-z0-9._-]{0,213}$/
const RESERVED = new Set(['node_modules', 'favicon.ico', 'nuxt', 'nuxt-fairway', 'fw'])
const LONGEST_TITLE = 60

/** Returns the problem with a project's name, as a sentence; undefined for a valid name. */
export function projectNameFault(name: string): string | undefined {
  if (RESERVED.has(name)) return `The name ${name} is taken.`
  if (NAME.test(name)) return undefined
  return `“${name}” is no name for a project: it takes small letters, digits, “-”, “_” and “.”, and begins with a letter or a digit.`
}

/** Returns the problem with an application's display name; undefined for a valid name. */
export function titleFault(title: string): string | undefined {
  if (/\p{Cc}/u.test(title) || title.trim() === '' || title.length > LONGEST_TITLE)
    return `The title takes 1 to ${LONGEST_TITLE} characters on one line.`
  return undefined
}

/** The default display name of a project: `my-app` becomes “My app”. */
export const toTitle = (name: string): string => {
  const words = name.replaceAll(/[-_.]+/g, ' ').trim()
  return (words.charAt(0).toUpperCase() + words.slice(1)).slice(0, LONGEST_TITLE)
}
