// Vite reads any file that a plugin requests, despite `server.fs` (`?vue&src`). So each file is checked before the plugins load
// it, and before Vite sends it unchanged. The check uses the real path: a symbolic link or another spelling is the same file.
import { realpathSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { getLayerDirectories, type useNuxt } from '@nuxt/kit'
import { databaseConfig } from '../../server/kernel/config/environment'
import { type Env, readEnv } from '../../server/kernel/config/env'
import { databaseTarget } from '../../server/kernel/database/target'

type Nuxt = ReturnType<typeof useNuxt>

/** Databases with their journals and former versions, secrets, keys and certificates, in any folder. */
const PRIVATE_NAME =
  /^(?:\.env.*|development-secret.*|.*\.(?:db|sqlite\d?)(?:[-.](?:wal|shm|journal|info|before|part).*)?|.*\.(?:pem|crt|cer|der|key|p12|pfx))$/i

/**
 * Lets browsers load the sources of pages, packages, and what these import. Never serves data, regardless of the spelling of its
 * address.
 */
export function guardFiles(nuxt: Nuxt): void {
  nuxt.hook('vite:extendConfig', (config, { isClient }) => {
    if (!isClient) return
    const { fs = {}, ...server } = config.server ?? {}
    const sources = sourceFolders(nuxt)
    const allow = [...new Set([...narrowed(nuxt, fs.allow ?? []), ...sources])]
    Object.assign(config, {
      server: { cors: false, ...server, fs: { ...fs, allow, strict: true } },
      plugins: [
        fileGuard(sources, privatePlaces(nuxt.options.rootDir, readEnv(process.env))),
        ...(config.plugins ?? []),
      ],
    })
  })
}

/** The source folders of the pages in each layer. */
const sourceFolders = (nuxt: Nuxt): string[] => getLayerDirectories(nuxt).flatMap(({ app, shared }) => [app, shared])

/** Nuxt's list without the root folders of the project and its layers, unless a configuration names them itself. */
function narrowed(nuxt: Nuxt, allow: readonly string[]): string[] {
  const { rootDir, workspaceDir, buildDir, appDir, modulesDir, _layers } = nuxt.options
  const layers = getLayerDirectories(nuxt).map(({ root }) => resolve(root))
  const named = _layers.flatMap(({ config }) => config.vite?.server?.fs?.allow ?? [])
  const isWhole = (folder: string) => isWithin(folder, rootDir) || layers.includes(folder)
  const allowed = allow.filter(folder => named.includes(folder) || !isWhole(resolve(rootDir, folder)))
  return [...allowed, buildDir, appDir, ...modulesDir, join(workspaceDir, 'node_modules')]
}

/** Where these settings store data, in lower case: file systems may ignore case. */
interface PrivatePlaces {
  folders: string[]
  /** Databases, without the names of their journals. */
  files: string[]
}

function privatePlaces(rootDir: string, env: Env): PrivatePlaces {
  const { url, replicaPath } = databaseConfig(env)
  const target = databaseTarget(url, replicaPath)
  const dataDir = resolve(rootDir, env.FW_DATA_DIR ?? '.data')
  // A data folder that also contains the application is not private as a whole.
  const folders = isWithin(dataDir, rootDir) ? ['outbox', 'backups'].map(name => join(dataDir, name)) : [dataDir]
  const files = 'path' in target ? [resolve(rootDir, target.path)] : []
  const both = (places: string[]) => places.flatMap(place => [place.toLowerCase(), realPlace(place).toLowerCase()])
  return { folders: both(folders), files: both(files) }
}

/** The same place when a folder above it is a symbolic link. The place may not exist yet. */
function realPlace(place: string): string {
  const parent = realPath(dirname(place))
  return parent ? join(parent, basename(place)) : place
}

/** The suffixes of a database's journals, former versions and copies. */
const BESIDE_DATABASE = /^(?:-(?:wal|shm|journal|info|client_wal_index)|\.(?:before|part)-.*)?$/

function isPrivate(real: string, { folders, files }: PrivatePlaces): boolean {
  const path = real.toLowerCase()
  const isBeside = (file: string) => path.startsWith(file) && BESIDE_DATABASE.test(path.slice(file.length))
  return PRIVATE_NAME.test(basename(real)) || folders.some(folder => isWithin(folder, path)) || files.some(isBeside)
}

/** The parts of Vite's module graph that this file uses. */
interface ModuleGraph {
  getModulesByFile(file: string): Set<{ importers: Set<{ type: string }> }> | undefined
}
interface Vite {
  config: { root: string; base: string; server: { fs: { allow: string[] } }; logger: { warnOnce(text: string): void } }
  environments: { client: { moduleGraph: ModuleGraph } }
  middlewares: { use(middleware: (req: IncomingMessage, res: ServerResponse, next: () => void) => void): void }
}

/** The plugin that refuses files. It runs before all others. */
function fileGuard(sources: readonly string[], places: PrivatePlaces) {
  let mayServe: (path: string) => boolean = () => false
  return {
    name: 'fairway:file-guard',
    enforce: 'pre' as const,
    applyToEnvironment: ({ name }: { name: string }) => name === 'client',
    configureServer(vite: Vite) {
      mayServe = servedPaths(vite, sources, places)
      vite.middlewares.use((req, res, next) => {
        if (pathsOf(req.url ?? '', vite.config).every(mayServe)) return next()
        res.writeHead(403, { 'cache-control': 'no-store' }).end('Forbidden')
      })
    },
    load: {
      order: 'pre' as const,
      handler(id: string) {
        // Vite cuts an id at the first of both marks, some plugins at one of them.
        const paths = [id, id.split('?', 1)[0] ?? '', id.split(/[?#]/, 1)[0] ?? '']
        if (paths.every(path => mayServe(path.replace(/^\0/, '')))) return null
        // Vite responds with 404 to this error.
        throw Object.assign(new Error(`not served to browsers: ${id}`), { code: 'ERR_LOAD_URL' })
      },
    },
  }
}

/** Whether a browser may load the file at a path; true if there is none. */
function servedPaths({ config, environments }: Vite, sources: readonly string[], places: PrivatePlaces) {
  const folders = config.server.fs.allow.map(folder => realPath(folder) ?? folder)
  const sourceDirs = sources.map(folder => realPath(folder) ?? folder)
  const packages = folders.filter(folder => !sourceDirs.includes(folder))
  const isImported = (path: string) =>
    // Style sheets name every file that Tailwind scans, so only script importers count.
    [...(environments.client.moduleGraph.getModulesByFile(path.replaceAll('\\', '/')) ?? [])].some(({ importers }) =>
      [...importers].some(({ type }) => type === 'js'),
    )
  return (path: string): boolean => {
    const real = realPath(path)
    if (real === undefined) return true
    const isSource = (folder: string) => isWithin(folder, real) && !/[\\/]\./.test(real.slice(folder.length))
    const isServed =
      !isPrivate(real, places) &&
      (packages.some(folder => isWithin(folder, real)) || sourceDirs.some(isSource) || isImported(real))
    if (!isServed)
      config.logger.warnOnce(
        `${real} is not sent to browsers. If a page needs it, name its folder in vite.server.fs.allow; data and secrets are never sent.`,
      )
    return isServed
  }
}

/** The files that Vite may read for an address, for every interpretation of its path. */
function pathsOf(url: string, { root, base }: Vite['config']): string[] {
  const [path = ''] = url.split(/[?#]/, 1)
  const spellings = [path, decoded(path), decoded(decoded(path))].map(spelling =>
    spelling.startsWith(base) ? spelling.slice(base.length - 1) : spelling,
  )
  return [...new Set(spellings)].map(spelling =>
    spelling.startsWith('/@fs/') ? resolve('/', spelling.slice('/@fs/'.length)) : join(root, spelling),
  )
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}

const isWithin = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.replace(/[\\/]$/, '') + sep)
