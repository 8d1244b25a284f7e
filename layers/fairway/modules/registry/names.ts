export interface DeclarationFile {
  /** The file name without its ending: the name of what it declares. */
  name: string
  /** The folders between the place and the file; they only group. */
  group: string
  /** The path relative to the project, for messages. */
  path: string
}

const KEBAB_CASE = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/

/** The declarations among the file paths below one place; files that begin with `_`, tests and type files are not declarations. */
export function toDeclarations(place: string, relativePaths: readonly string[]): DeclarationFile[] {
  return relativePaths
    .filter(path => path.endsWith('.ts') && !/\.(test|spec|d)\.ts$/.test(path) && !/(^|\/)_/.test(path))
    .map(path => {
      const parts = path.slice(0, -'.ts'.length).split('/')
      return { name: parts.at(-1) ?? '', group: parts.slice(0, -1).join('/') || 'general', path: `${place}/${path}` }
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** What is wrong with the names: each fault names its files. */
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
