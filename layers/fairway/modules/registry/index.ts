import { join } from 'node:path'
import { addServerHandler, addTemplate, defineNuxtModule, useLogger, useNitro, type useNuxt } from '@nuxt/kit'
import { type ActionFile, sharedAddresses } from './action-addresses'
import { registerCollections } from './collections'
import { followDeclarations, restartWhenChanged } from './follow-declarations'
import {
  ACTION_PLACE,
  addressedActions,
  CATALOGS,
  JOB_PLACE,
  jobFiles,
  MAIL_PLACE,
  mailFiles,
  MCP_LISTS,
  mcpFiles,
  mcpPlace,
  operationRoutes,
  PROVIDER_PLACE,
  providerFiles,
  UPLOAD_PLACE,
  uploadFiles,
} from './catalogs'
import { DECLARED, loadActions, loadJobs, loadMails, loadProviders, loadMcp, loadUploads } from './declarations'
import { type DeclarationFile, discover, listModule } from './discover'
import { DeclarationError } from './load-declarations'
import { platformDir, withShortPaths } from './roots'
import { addServerModule, typeLines, typesFile } from './server-modules'
import { writeAddresses } from './operation-addresses'
import { type FoundOperation, findOperations } from './operation-files'

/** Finds the application's declarations at build time: actions, collections, providers, and the lists for MCP hosts. */
export default defineNuxtModule({
  meta: { name: 'registry' },
  setup(_options, nuxt) {
    registerActions(nuxt)
    registerCollections(nuxt)
    registerOperations(nuxt)
    registerMcp(nuxt)
    for (const kind of KINDS) register(nuxt, kind)
    listDeclared(nuxt)
  },
})

const namesOf = (files: readonly DeclarationFile[]): string => files.map(({ name }) => name).join(', ')

const inDomain = (name: string): string => `import(${JSON.stringify(join(platformDir, `server/domains/${name}`))})`

/**
 * Passes all declarations with their files to the development server, which reports invalid ones
 * (server/mounted/check-declarations.ts).
 */
function listDeclared(nuxt: ReturnType<typeof useNuxt>): void {
  const { rootDir } = nuxt.options
  addServerModule('#fw/declared', {
    contents: () => {
      const files = DECLARED.flatMap(({ list, maker }) =>
        list(rootDir).map((file): ActionFile & { maker: string } => ({ ...file, maker })),
      )
      return listModule(
        rootDir,
        'declared',
        files,
        ({ name, path, maker, address }, imported) =>
          `{ name: ${JSON.stringify(name)}, path: ${JSON.stringify(withShortPaths(join(rootDir, path), rootDir))}, maker: ${JSON.stringify(maker)}, hasAddress: ${address !== undefined}, value: ${imported}.default }`,
        '* as ',
      )
    },
    types: () =>
      '  export const declared: readonly { name: string; path: string; maker: string; hasAddress: boolean; value: unknown }[]\n',
  })
}

/** A file below server/actions, of the application or of the platform, is served as an action. A broken file fails the build. */
function registerActions(nuxt: ReturnType<typeof useNuxt>): void {
  const { rootDir } = nuxt.options
  const files = () => addressedActions(rootDir)
  const refuseClashes = () => {
    const clashes = sharedAddresses(files()).map(clash => withShortPaths(clash, rootDir))
    if (clashes.length > 0) throw new DeclarationError('actions', clashes)
  }
  for (const mounted of handlersOf(files())) addServerHandler(mounted)
  addServerModule('#fw/actions', {
    contents: () => CATALOGS['#fw/actions'](rootDir),
    types: () => `  export const catalog: ${inDomain('actions')}.CatalogEntry[]\n`,
    also: () =>
      `declare module '#fw/action-types' {\n  export interface ActionTypes {\n${typeLines(rootDir, files(), file => `${inDomain('actions')}.ActionTypeOf<typeof ${file}.default>`)}  }\n}\n`,
  })
  followDeclarations(nuxt, {
    places: [ACTION_PLACE],
    files,
    async load() {
      refuseClashes()
      await loadActions(rootDir, files())
    },
    tell: () => useLogger('actions').info(`${files().length} actions: ${namesOf(files())}`),
    tag: 'actions',
    types: typesFile('#fw/actions'),
    renew() {
      refuseClashes()
      const { options } = nuxt.runWithContext(useNitro)
      options.handlers = [...handlersOf(files()), ...options.handlers.filter(({ handler }) => handler !== MOUNTED)]
    },
  })
}

const MOUNTED = join(platformDir, 'server/mounted/operation')

/** One handler at the exact paths of operations and of actions. */
const handlersOf = (actions: readonly ActionFile[]) =>
  operationRoutes(actions).map(route => ({ route, handler: MOUNTED, lazy: true }))

interface Kind {
  name: 'providers' | 'jobs' | 'mails' | 'uploads'
  place: string
  files: (rootDir: string) => DeclarationFile[]
  load: (rootDir: string) => Promise<unknown>
  /** The exports of the list's module. */
  types: string
  /** The types of the declarations, for authors. */
  also?: (rootDir: string, files: readonly DeclarationFile[]) => string
}

/** Registers the files of one place as declarations. A broken file fails the build. */
function register(nuxt: ReturnType<typeof useNuxt>, { name, place, files, load, types, also }: Kind): void {
  const { rootDir } = nuxt.options
  const list = `#fw/${name}` as const
  addServerModule(list, {
    contents: () => CATALOGS[list](rootDir),
    types: () => `  export const ${types}\n`,
    ...(also && { also: () => also(rootDir, files(rootDir)) }),
  })
  followDeclarations(nuxt, {
    places: [place],
    files: () => files(rootDir),
    load: async () => void (await load(rootDir)),
    tell: () => {
      const declarations = discover(rootDir, place)
      if (declarations.length > 0) useLogger(name).info(namesOf(declarations))
    },
    tag: name,
    ...(also && { types: typesFile(list) }),
  })
}

const inKernel = (name: string): string => `import(${JSON.stringify(join(platformDir, `server/kernel/${name}`))})`
const defaultOf = (file: string): string => `typeof ${file}.default`

const KINDS: readonly Kind[] = [
  {
    name: 'providers',
    place: PROVIDER_PLACE,
    files: providerFiles,
    load: loadProviders,
    types: `providers: ${inDomain('oauth-client')}.ProviderRecord[]`,
  },
  {
    name: 'jobs',
    place: JOB_PLACE,
    files: jobFiles,
    load: loadJobs,
    types: `catalog: ${inKernel('jobs')}.JobEntry[]`,
    also: (rootDir, files) =>
      `declare module '#fw/job-types' {\n  export interface JobTypes {\n${typeLines(rootDir, files, defaultOf)}  }\n}\n`,
  },
  {
    name: 'mails',
    place: MAIL_PLACE,
    files: mailFiles,
    load: loadMails,
    types: `catalog: ${inKernel('mail/define-mail')}.MailEntry[]`,
    also: (rootDir, files) =>
      `declare module '#fw/mail-types' {\n  export interface MailTypes {\n${typeLines(rootDir, files, defaultOf)}  }\n}\n`,
  },
  {
    name: 'uploads',
    place: UPLOAD_PLACE,
    files: uploadFiles,
    load: loadUploads,
    types: `catalog: ${inDomain('files')}.UploadEntry[]`,
  },
]

/** Finds resources, prompts and pages for MCP hosts at build time, as for actions. A broken file fails the build. */
function registerMcp(nuxt: ReturnType<typeof useNuxt>): void {
  const { rootDir } = nuxt.options
  addServerModule('#fw/mcp', {
    contents: () => CATALOGS['#fw/mcp'](rootDir),
    types: () =>
      MCP_LISTS.map(list => `  export const ${list}: ${inDomain('mcp')}.McpDeclarations['${list}']\n`).join(''),
  })
  for (const list of MCP_LISTS) {
    const files = () => mcpFiles(rootDir, list)
    followDeclarations(nuxt, {
      places: [mcpPlace(list)],
      files,
      load: async () => void (await loadMcp(rootDir)),
      tell: () => (files().length > 0 ? useLogger('mcp').info(`${list}: ${namesOf(files())}`) : undefined),
      tag: `MCP ${list}`,
    })
  }
}

/** The operations of the platform are served at their addresses, and pages call them by name. */
function registerOperations(nuxt: ReturnType<typeof useNuxt>): void {
  const operations = findOperations()
  addServerModule('#fw/operations', { contents: CATALOGS['#fw/operations'], types: () => operationTypes(operations) })
  addTemplate({ filename: 'fw-operations.ts', write: true, getContents: () => clientTable(operations) })
  writeAddresses(operations)
  for (const file of new Set(operations.map(each => each.file)))
    restartWhenChanged(nuxt, file, () => JSON.stringify(findOperations()))
}

function operationTypes(operations: readonly FoundOperation[]): string {
  const rows = operations.map(({ name, file }) => {
    const declared = `(typeof import(${JSON.stringify(file.replace(/\.ts$/, ''))}))['default'][${JSON.stringify(name)}]`
    return `    ${JSON.stringify(name)}: ${inDomain('actions')}.OperationTypeOf<${declared}>\n`
  })
  return `  export const operations: ${inDomain('actions')}.OperationEntry[]\n  export interface OperationTypes {\n${rows.join('')}  }\n`
}

/** The browser's part for calls with a computed name, besides types: the address and method of each operation. */
const clientTable = (operations: readonly FoundOperation[]): string =>
  `export const operationRoutes = {\n${operations
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ name, method, path }) => `  ${JSON.stringify(name)}: ${JSON.stringify(`${path} ${method}`)},\n`)
    .join('')}} as const\n`
