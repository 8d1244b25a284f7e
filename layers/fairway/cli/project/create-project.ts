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
  sayNext([`cd ${shown(folder)}`, ...(installed ? [] : ['npm install']), 'npm run dev'])
}

/** What is wrong with a folder that a new project is to lie in, as a sentence; undefined where it is empty or not there. */
export function folderFault(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined
  const found = readdirSync(folder).filter(name => name !== '.git')
  return found.length === 0
    ? undefined
    : `${folder} is not empty: ${found.slice(0, 3).join(', ')}${found.length > 3 ? ', …' : ''}.`
}

/** Writes files into a folder that is empty or not there yet. Gives the way back: it removes all that has come into the folder since. */
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

// What npm accepts for a new package, without scopes: a project is a folder too.
const NAME = /^[a-z0-9][a-z0-9._-]{0,213}$/
const RESERVED = new Set(['node_modules', 'favicon.ico', 'nuxt', 'nuxt-fairway', 'fw'])
const LONGEST_TITLE = 60

/** What is wrong with the name of a project, as a sentence; undefined for a good one. */
export function projectNameFault(name: string): string | undefined {
  if (RESERVED.has(name)) return `The name ${name} is taken.`
  if (NAME.test(name)) return undefined
  return `“${name}” is no name for a project: it takes small letters, digits, “-”, “_” and “.”, and begins with a letter or a digit.`
}

/** What is wrong with what people will see as the name of the application; undefined for a good one. */
export function titleFault(title: string): string | undefined {
  if (/\p{Cc}/u.test(title) || title.trim() === '' || title.length > LONGEST_TITLE)
    return `The title takes 1 to ${LONGEST_TITLE} characters on one line.`
  return undefined
}

/** How people see a project of this name, unless they say otherwise: `my-app` is “My app”. */
export const toTitle = (name: string): string => {
  const words = name.replaceAll(/[-_.]+/g, ' ').trim()
  return (words.charAt(0).toUpperCase() + words.slice(1)).slice(0, LONGEST_TITLE)
}
