// Finds, names, checks and lists files that are declarations because of their folder.
import { existsSync, readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { platformDir } from './roots'

/** A file that is a declaration because of its folder. */
export interface DeclarationFile {
  /** The file name without its ending: the name of the declaration. */
  name: string
  /** The folders between the place and the file. They only group. */
  group: string
  /** The path relative to the project, for messages. */
  path: string
}

/**
 * Finds the declarations below a place of a folder, for example `server/actions`. A missing place is empty. The folder is the
 * application's own by default; paths are relative to the application in either case.
 */
export function discover(rootDir: string, place: string, folder = rootDir): DeclarationFile[] {
  const dir = join(folder, place)
  return toDeclarations(relative(rootDir, dir).split(sep).join('/'), filesBelow(dir))
}

/** Finds the declarations of the application and of the platform, by name. */
export const discoverAll = (rootDir: string, place: string): DeclarationFile[] =>
  [...discover(rootDir, place), ...discover(rootDir, place, platformDir)].toSorted((a, b) => (a.name < b.name ? -1 : 1))

/** Names of folders without sources. In a project without the folder `app`, they are beside its pages. */
export const NO_SOURCES = /^(\.|node_modules$)/

/** The paths of the files below a folder, written with `/`, except in folders of these names. Empty for a missing folder. */
export function filesBelow(dir: string, skipped = /^$/): string[] {
  if (!existsSync(dir)) return []
  return readdirSync(dir, { withFileTypes: true }).flatMap(entry => {
    if (entry.isFile()) return [entry.name]
    if (!entry.isDirectory() || skipped.test(entry.name)) return []
    return filesBelow(join(dir, entry.name), skipped).map(file => `${entry.name}/${file}`)
  })
}

const KEBAB_CASE = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/

/** The declarations among the file paths below one place. Excludes files that begin with `_`, tests and type files. */
export function toDeclarations(place: string, relativePaths: readonly string[]): DeclarationFile[] {
  return relativePaths
    .filter(path => /\.tsx?$/.test(path) && !/\.(test|spec|d)\.tsx?$/.test(path) && !/(^|\/)_/.test(path))
    .map(path => {
      const parts = path.replace(/\.tsx?$/, '').split('/')
      return { name: parts.at(-1) ?? '', group: parts.slice(0, -1).join('/') || 'general', path: `${place}/${path}` }
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** The faults of the names. Each fault names its files. */
export function nameFaults(files: readonly DeclarationFile[]): string[] {
  const wrong = files
    .filter(file => !KEBAB_CASE.test(file.name))
    .map(file => `${file.path}: the name must be kebab-case, for example create-note`)
  const byName = Map.groupBy(files, file => file.name)
  const twice = [...byName.values()]
    .filter(same => same.length > 1)
    .map(same => `${same.map(file => file.path).join(' and ')}: the name ${same[0]?.name} is used twice`)
  return [...wrong, ...twice]
}

/** The source of a module that exports a list: the result of `toEntry` for each file and its import name. */
export function listModule<T extends { path: string }>(
  rootDir: string,
  list: string,
  files: readonly T[],
  toEntry: (file: T, imported: string) => string,
  what: '' | '* as ' = '',
): string {
  const imports = files.map(
    ({ path }, index) => `import ${what}${list}${index} from ${JSON.stringify(join(rootDir, path))}\n`,
  )
  const entries = files.map((file, index) => `  ${toEntry(file, `${list}${index}`)},\n`)
  return `${imports.join('')}export const ${list} = [\n${entries.join('')}]\n`
}
