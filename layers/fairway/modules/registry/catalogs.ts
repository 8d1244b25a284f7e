// Where declarations are stored, and the modules that list them. The build and tests use these. Vitest's configuration loads this
// file, so it imports no server code.
import { join } from 'node:path'
import { published } from '../../published'
import { COLLECTIONS_DOCUMENTATION_PATH, COLLECTIONS_ENTRYPOINT_PATH, CONTEXTS_PREFIX } from '../../shared/paths'
import { type ActionFile, withAddress } from './action-addresses'
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
/** Where the application declares the frame of the server's own pages. */
export const FRAME_PLACE = 'server/pages'

type List = (typeof MCP_LISTS)[number]

/** Where the declarations of one of these lists are. */
export const mcpPlace = (list: List): string => `server/mcp/${list}`

/** The files of every action, by name. */
export const actionFiles = (rootDir: string): DeclarationFile[] => discoverAll(rootDir, ACTION_PLACE)
/** The same, with the address of each. */
export const addressedActions = (rootDir: string): ActionFile[] =>
  actionFiles(rootDir).map(file => withAddress(rootDir, file))
/** The files of every collection, by name. */
export const collectionFiles = (rootDir: string): DeclarationFile[] => discoverAll(rootDir, COLLECTION_PLACE)
/** The files of every external provider of the application. */
export const providerFiles = (rootDir: string): DeclarationFile[] => discoverAll(rootDir, PROVIDER_PLACE)
/** The files of every job, by name. */
export const jobFiles = (rootDir: string): DeclarationFile[] => discoverAll(rootDir, JOB_PLACE)
/** The files of every mail of the application, by name. */
export const mailFiles = (rootDir: string): DeclarationFile[] => discover(rootDir, MAIL_PLACE)
/** The files of every upload, by name. */
export const uploadFiles = (rootDir: string): DeclarationFile[] => discoverAll(rootDir, UPLOAD_PLACE)
/** The files of one of the lists for MCP hosts. */
export const mcpFiles = (rootDir: string, list: List): DeclarationFile[] => discoverAll(rootDir, mcpPlace(list))

/**
 * The paths of a collection. The final one is that of `export`: as a literal, it would hide the item with this id from the
 * router.
 */
export const collectionRoutes = (name: string): string[] => [`/${name}`, `/${name}/:id`, `/${name}/:id/:format`]
/** The paths of operations and of actions that have their own, without duplicates. */
export const operationRoutes = (actions: readonly ActionFile[]): string[] => {
  const routes = actions.flatMap(({ address }) => address?.route ?? [])
  return [...new Set([...findOperations().map(({ path }) => path), ...routes])]
}
/** The paths of the documents that describe collections. */
export const DOCUMENT_ROUTES = [`${CONTEXTS_PREFIX}/:name`, COLLECTIONS_DOCUMENTATION_PATH, COLLECTIONS_ENTRYPOINT_PATH]

interface Route {
  route?: string
  method?: string
}

/** Whether one of these routes is the template's hook of the local migration. */
export const hasHook = (routes: readonly Route[]): boolean =>
  routes.some(({ route, method }) => route === '/api/local-migration' && (method ?? 'post').toLowerCase() === 'post')

/** The application's frames of the server's own pages, by the page's name. */
export function frameFiles(rootDir: string): DeclarationFile[] {
  return filesBelow(join(rootDir, FRAME_PLACE))
    .toSorted()
    .filter(file => /^[^_/][^/]*\.tsx?$/.test(file) && !/\.(test|spec|d)\.tsx?$/.test(file))
    .map(file => ({ name: file.replace(/\.tsx?$/, ''), group: 'general', path: `${FRAME_PLACE}/${file}` }))
}

/** The names of `#fw` that an application's routes, middleware and plugins use without an import, in the format of unimport. */
export const NAMES_OF_FW = Object.keys(published.serverWithoutImport).map(name => ({
  name,
  from: '#fw',
  priority: 100,
}))

/** Functions of h3 that manage its own sessions. Beside the platform's sessions, each is a mistake. */
export const SESSIONS_OF_H3 = [
  'getSession',
  'useSession',
  'updateSession',
  'clearSession',
  'sealSession',
  'unsealSession',
]

/** The source of a list with the name of each declaration, and the declaration itself under `key`. */
const namedModule = (rootDir: string, list: string, files: readonly DeclarationFile[], key: string): string =>
  listModule(rootDir, list, files, ({ name }, imported) => `{ name: ${JSON.stringify(name)}, ${key}: ${imported} }`)

/** The sources of the modules that list declarations, by module name. Each searches for the files when it is called. */
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
  // The code of an operation is a separate chunk, loaded with its first request.
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
