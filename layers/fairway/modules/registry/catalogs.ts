// Where declarations lie, and the modules that list them; the build serves them, and so do tests. Vitest's configuration loads
// this file: it imports nothing of the server.
import { join } from 'node:path'
import { published } from '../../published'
import { COLLECTIONS_DOCUMENTATION_PATH, COLLECTIONS_ENTRYPOINT_PATH, CONTEXTS_PREFIX } from '../../shared/paths'
import { discover, discoverAll, type DeclarationFile, filesBelow, listModule } from './discover'
import { findOperations } from './operation-files'
import { isPlatformFile } from './roots'

/** Where actions are declared, by the application and by the platform itself. */
export const ACTION_PLACE = 'server/actions'
/** Where collections are declared. */
export const COLLECTION_PLACE = 'server/collections'
/** Where providers are declared. */
export const PROVIDER_PLACE = 'server/providers'
/** Where jobs are declared. */
export const JOB_PLACE = 'server/jobs'
/** Where the application's mails are declared. */
export const MAIL_PLACE = 'server/mails'
/** Where uploads are declared. */
export const UPLOAD_PLACE = 'server/uploads'
/** What app authors declare for MCP hosts besides the tools. */
export const MCP_LISTS = ['resources', 'prompts', 'apps'] as const
/** Where the application says what stands around the server's own pages. */
export const FRAME_PLACE = 'server/pages'

type List = (typeof MCP_LISTS)[number]

/** Where the declarations of one of these lists are. */
export const mcpPlace = (list: List): string => `server/mcp/${list}`

/** The files of every action, by name. */
export const actionFiles = (rootDir: string): DeclarationFile[] => discoverAll(rootDir, ACTION_PLACE)
/** The files of every collection, by name. */
export const collectionFiles = (rootDir: string): DeclarationFile[] => discoverAll(rootDir, COLLECTION_PLACE)
/** The files in which the application declares external providers. */
export const providerFiles = (rootDir: string): DeclarationFile[] => discoverAll(rootDir, PROVIDER_PLACE)
/** The files of every job, by name. */
export const jobFiles = (rootDir: string): DeclarationFile[] => discoverAll(rootDir, JOB_PLACE)
/** The files of every mail of the application, by name. */
export const mailFiles = (rootDir: string): DeclarationFile[] => discover(rootDir, MAIL_PLACE)
/** The files of every upload, by name. */
export const uploadFiles = (rootDir: string): DeclarationFile[] => discoverAll(rootDir, UPLOAD_PLACE)
/** The files of one of the lists for MCP hosts. */
export const mcpFiles = (rootDir: string, list: List): DeclarationFile[] => discoverAll(rootDir, mcpPlace(list))

/** The paths at which a collection is served. The last one is that of `export`: written out, it would hide the item of this id from the router. */
export const collectionRoutes = (name: string): string[] => [`/${name}`, `/${name}/:id`, `/${name}/:id/:format`]
/** The paths at which operations are served, each once. */
export const operationRoutes = (): string[] => [...new Set(findOperations().map(({ path }) => path))]
/** The paths of the documents that describe collections. */
export const DOCUMENT_ROUTES = [`${CONTEXTS_PREFIX}/:name`, COLLECTIONS_DOCUMENTATION_PATH, COLLECTIONS_ENTRYPOINT_PATH]

interface Route {
  route?: string
  method?: string
}

/** Whether these routes answer the template's hook of the local migration. */
export const hasHook = (routes: readonly Route[]): boolean =>
  routes.some(({ route, method }) => route === '/api/local-migration' && (method ?? 'post').toLowerCase() === 'post')

/** The files of the application that stand around the server's own pages, by the page's name. */
export function frameFiles(rootDir: string): DeclarationFile[] {
  return filesBelow(join(rootDir, FRAME_PLACE))
    .toSorted()
    .filter(file => /^[^_/][^/]*\.tsx?$/.test(file) && !/\.(test|spec|d)\.tsx?$/.test(file))
    .map(file => ({ name: file.replace(/\.tsx?$/, ''), group: 'general', path: `${FRAME_PLACE}/${file}` }))
}

/** What an application's routes, middleware and plugins have of `#fw` without an import, as unimport takes it. */
export const NAMES_OF_FW = Object.keys(published.serverWithoutImport).map(name => ({
  name,
  from: '#fw',
  priority: 100,
}))

/** Names of h3's that make sessions of its own: next to the platform's, each is a mistake. */
export const SESSIONS_OF_H3 = [
  'getSession',
  'useSession',
  'updateSession',
  'clearSession',
  'sealSession',
  'unsealSession',
]

/** The source of a list in which each declaration stands under `key` beside its name. */
const namedModule = (rootDir: string, list: string, files: readonly DeclarationFile[], key: string): string =>
  listModule(rootDir, list, files, ({ name }, imported) => `{ name: ${JSON.stringify(name)}, ${key}: ${imported} }`)

/** The sources of the modules that list what is declared, by their names; each finds the files when it is called. */
export const CATALOGS = {
  '#fw/actions': rootDir =>
    listModule(
      rootDir,
      'catalog',
      actionFiles(rootDir),
      ({ name, group, path }, imported) =>
        `{ name: ${JSON.stringify(name)}, group: ${JSON.stringify(group)}, isPlatform: ${isPlatformFile(join(rootDir, path))}, action: ${imported} }`,
    ),
  '#fw/collections': rootDir => namedModule(rootDir, 'catalog', collectionFiles(rootDir), 'collection'),
  // The code of an operation is a part of its own, loaded with its first request.
  '#fw/operations': () =>
    `export const operations = [\n${findOperations()
      .map(
        ({ file, about: _about, ...entry }) =>
          `  { ...${JSON.stringify(entry)}, load: () => import(${JSON.stringify(file)}).then(found => found.default[${JSON.stringify(entry.name)}]) },\n`,
      )
      .join('')}]\n`,
  '#fw/mcp': rootDir =>
    MCP_LISTS.map(list => namedModule(rootDir, list, mcpFiles(rootDir, list), 'declaration')).join(''),
  '#fw/jobs': rootDir => namedModule(rootDir, 'catalog', jobFiles(rootDir), 'job'),
  '#fw/mails': rootDir => namedModule(rootDir, 'catalog', mailFiles(rootDir), 'mail'),
  '#fw/uploads': rootDir => namedModule(rootDir, 'catalog', uploadFiles(rootDir), 'upload'),
  '#fw/providers': rootDir => listModule(rootDir, 'providers', providerFiles(rootDir), (_file, imported) => imported),
  '#fw/page-frames': rootDir =>
    `${listModule(rootDir, 'files', frameFiles(rootDir), ({ name }, imported) => `[${JSON.stringify(name)}, ${imported}]`)}export const frames = Object.fromEntries(files)\n`,
} as const satisfies Record<string, (rootDir: string) => string>
