import { join } from 'node:path'
import { addServerHandler, addServerTemplate, addTypeTemplate, useLogger, type useNuxt } from '@nuxt/kit'
import { followDeclarations } from './follow-declarations'
import { COLLECTIONS_DOCUMENTATION_PATH, COLLECTIONS_ENTRYPOINT_PATH, CONTEXTS_PREFIX } from '../../shared/paths'
import { discoverAll } from './discover'
import { loadCollections } from './load-collections'
import { DeclarationError } from './load-declarations'
import type { DeclarationFile } from './names'
import { type PagePath, pathClashes, routePlaces } from './path-clashes'
import { houseDir, withShortPaths } from './roots'

const PLACE = 'server/collections'
const TYPES = 'types/fw-collections.d.ts'
const DOCUMENTS = [`${CONTEXTS_PREFIX}/:name`, COLLECTIONS_DOCUMENTATION_PATH, COLLECTIONS_ENTRYPOINT_PATH]

/** A file below server/collections is served at its name because it is there, and a broken one fails the build. */
export function registerCollections(nuxt: ReturnType<typeof useNuxt>): void {
  const { rootDir } = nuxt.options
  const logger = useLogger('collections')
  const files = () => discoverAll(rootDir, PLACE)
  let pages: PagePath[] = []
  nuxt.hook('pages:resolved', resolved => {
    pages = resolved
  })
  const load = async (again: boolean) => {
    const clashes = pathClashes(files(), pages, routePlaces(rootDir)).map(clash => withShortPaths(clash, rootDir))
    if (clashes.length > 0) throw new DeclarationError('collections', clashes)
    const collections = await loadCollections(rootDir, files(), { again })
    logger.info(`${collections.length} collections: ${collections.map(({ name }) => name).join(', ')}`)
  }
  addServerTemplate({ filename: '#fw/collections', getContents: () => catalogModule(rootDir, files()) })
  addTypeTemplate({ filename: TYPES, getContents: () => catalogTypes(rootDir, files()) }, { nitro: true, nuxt: true })
  const names = () =>
    files()
      .map(({ name }) => name)
      .join()
  const mounted = names()
  mount(files())
  followDeclarations(nuxt, {
    places: [PLACE],
    load,
    tag: 'collections',
    types: TYPES,
    // Paths are mounted once, when the server starts.
    needsRestart: () => names() !== mounted,
  })
}

/** One handler at the exact paths of every collection, and of the documents that describe them. */
function mount(files: readonly DeclarationFile[]): void {
  const documents = join(houseDir, 'server/mounted/json-ld')
  for (const route of DOCUMENTS) addServerHandler({ route, handler: documents })
  const handler = join(houseDir, 'server/mounted/collection')
  for (const { name } of files) {
    addServerHandler({ route: `/${name}`, handler })
    addServerHandler({ route: `/${name}/:id`, handler })
  }
}

function catalogModule(rootDir: string, files: readonly DeclarationFile[]): string {
  const imports = files.map(
    (file, index) => `import collection${index} from ${JSON.stringify(join(rootDir, file.path))}\n`,
  )
  const entries = files.map(
    (file, index) => `  { name: ${JSON.stringify(file.name)}, collection: collection${index} },\n`,
  )
  return `${imports.join('')}export const catalog = [\n${entries.join('')}]\n`
}

// Ambient declarations: a top-level import or export would turn this file into a module of its own.
function catalogTypes(rootDir: string, files: readonly DeclarationFile[]): string {
  const domain = JSON.stringify(join(houseDir, 'server/domains/collections'))
  const rows = files.map(file => {
    const path = JSON.stringify(join(rootDir, file.path.replace(/\.ts$/, '')))
    return `    ${JSON.stringify(file.name)}: import(${domain}).CollectionTypeOf<typeof import(${path})>\n`
  })
  return (
    `declare module '#fw/collections' {\n  export const catalog: import(${domain}).CollectionEntry[]\n}\n` +
    `declare module '#fw/collection-types' {\n  export interface CollectionTypes {\n${rows.join('')}  }\n}\n`
  )
}
