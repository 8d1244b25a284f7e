import { join } from 'node:path'
import { existsSync, readdirSync } from 'node:fs'
import { addServerHandler, useLogger, useNitro, type useNuxt } from '@nuxt/kit'
import { type PageFile, withChildren } from '../pages/page-files'
import { followDeclarations } from './follow-declarations'
import { CATALOGS, COLLECTION_PLACE, collectionFiles, collectionRoutes, DOCUMENT_ROUTES } from './catalogs'
import { loadCollections } from './declarations'
import type { DeclarationFile } from './discover'
import { DeclarationError } from './load-declarations'
import { platformDir, withShortPaths } from './roots'
import { addServerModule, typeLines, typesFile } from './server-modules'

const DOMAIN = JSON.stringify(join(platformDir, 'server/domains/collections'))

/** A file below server/collections is served under its name. A broken file fails the build. */
export function registerCollections(nuxt: ReturnType<typeof useNuxt>): void {
  const { rootDir } = nuxt.options
  const logger = useLogger('collections')
  const files = () => collectionFiles(rootDir)
  let pages: PageFile[] = []
  nuxt.hook('pages:resolved', resolved => {
    pages = resolved
  })
  const refuseClashes = () => {
    const clashes = pathClashes(files(), pages, routePlaces(rootDir)).map(clash => withShortPaths(clash, rootDir))
    if (clashes.length > 0) throw new DeclarationError('collections', clashes)
  }
  addServerModule('#fw/collections', {
    contents: () => CATALOGS['#fw/collections'](rootDir),
    types: () => `  export const catalog: import(${DOMAIN}).CollectionEntry[]\n`,
    also: () =>
      `declare module '#fw/collection-types' {\n  export interface CollectionTypes {\n${typeLines(rootDir, files(), file => `import(${DOMAIN}).CollectionTypeOf<typeof ${file}>`)}  }\n}\n`,
  })
  for (const route of DOCUMENT_ROUTES) addServerHandler({ route, handler: join(platformDir, 'server/mounted/json-ld') })
  for (const mounted of handlersOf(files())) addServerHandler(mounted)
  followDeclarations(nuxt, {
    places: [COLLECTION_PLACE],
    files,
    async load() {
      refuseClashes()
      await loadCollections(rootDir, files())
    },
    tell: () =>
      logger.info(
        `${files().length} collections: ${files()
          .map(({ name }) => name)
          .join(', ')}`,
      ),
    tag: 'collections',
    types: typesFile('#fw/collections'),
    renew() {
      refuseClashes()
      const { options } = nuxt.runWithContext(useNitro)
      const others = options.handlers.filter(({ handler }) => handler !== MOUNTED)
      options.handlers = [...handlersOf(files()), ...others]
    },
  })
}

const MOUNTED = join(platformDir, 'server/mounted/collection')

/** One handler at the exact paths of every collection. */
const handlersOf = (files: readonly DeclarationFile[]) =>
  files.flatMap(({ name }) => collectionRoutes(name).map(route => ({ route, handler: MOUNTED })))

/** First parts of paths that the framework reserves without a file of that name. */
const RESERVED = new Map([
  ['api', 'the framework'],
  ['contexts', 'the documents of collections'],
  ['o', 'the pages of an organization'],
])

/** Collections whose path is already taken. Each fault names both files. */
export function pathClashes(
  files: readonly DeclarationFile[],
  pages: readonly PageFile[],
  routes: ReadonlyMap<string, string>,
): string[] {
  const all = withChildren(pages)
  return files.flatMap(file => {
    const path = `/${file.name}`
    const page = all.find(page => page.path === path || page.path.startsWith(`${path}/`))
    const owner = routes.get(file.name) ?? RESERVED.get(file.name)
    return [
      ...(page ? [`${file.path} and ${page.file ?? 'a page'}: both are at ${page.path}`] : []),
      ...(owner ? [`${file.path} and ${owner}: both are at ${path}`] : []),
    ]
  })
}

/** The first part of each path below server/routes, and its file or folder. */
export function routePlaces(rootDir: string): Map<string, string> {
  const dirs = [platformDir, rootDir].map(dir => join(dir, 'server/routes')).filter(dir => existsSync(dir))
  return new Map(dirs.flatMap(dir => readdirSync(dir).map(name => [name.split('.', 1)[0] ?? '', join(dir, name)])))
}
