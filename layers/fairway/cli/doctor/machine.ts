// Checks this machine: settings, Node.js, declarations, files, the port.
import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join, relative, resolve } from 'node:path'
import { actionFiles, collectionFiles } from '../../modules/registry/catalogs'
import { loadActions, loadCollections, loadMcp, loadProviders } from '../../modules/registry/declarations'
import { API_PLACE, openRoutes } from '../../modules/author-routes/open-routes'
import { DeclarationError, loadFwConfig } from '../../modules/registry/load-declarations'
import { databaseTarget } from '../../server/kernel/database/target'
import { unknownNames } from '../../server/kernel/config/environment'
import { reasonOf } from '../mcp/endpoint'
import { OLDEST_NODE } from '../project/own-node'
import { tokenFolder } from '../mcp/token-file'
import { type Check, fault, type Found, ok, type CheckInput, readiness, warning } from './check'

export const settings: Check = {
  name: 'settings',
  async run({ source, config }) {
    const unknown = unknownNames(source).map(({ name, nearest }) =>
      warning(`${name} is no setting of this platform`, `If ${nearest} is meant, rename it; otherwise take it out.`),
    )
    const ignored = config.notices.map(notice => warning(`ignored: ${notice}`, 'Correct the value, or take it out.'))
    const findings = [...unknown, ...ignored, ...(source.SMTP_URL && !source.EMAIL_FROM ? [halfMail] : [])]
    return findings.length > 0 ? findings : ok(`all are understood, for ${config.environment}`)
  },
}

const halfMail = warning('SMTP_URL is set and EMAIL_FROM is not: no mail is sent', 'Set EMAIL_FROM to the sender.')

export const node: Check = {
  name: 'node',
  async run() {
    const { node: version } = process.versions
    return Number(version.split('.')[0]) >= OLDEST_NODE
      ? ok(`Node.js ${version}`)
      : fault(`Node.js ${version}`, `Install Node.js ${OLDEST_NODE} or newer.`)
  },
}

const hasSources = async (root: string) => (await readdir(root)).some(name => /^nuxt\.config\.m?[jt]s$/.test(name))
const NO_SOURCES: Found = { status: 'off', text: 'there are no sources here' }

export const declarations: Check = {
  name: 'declarations',
  async run({ root }) {
    if (!(await hasSources(root))) return NO_SOURCES
    const loads = [
      loadActions(root, actionFiles(root)),
      loadCollections(root, collectionFiles(root)),
      loadProviders(root),
      loadMcp(root),
    ]
    const results = await Promise.allSettled(loads)
    const faults = results.flatMap(result => (result.status === 'rejected' ? faultsOf(result.reason) : []))
    const actions = actionFiles(root).length
    const collections = collectionFiles(root).length
    return faults.length > 0 ? faults : ok(`${actions} actions and ${collections} collections load`)
  },
}

function faultsOf(thrown: unknown): Found[] {
  const todo = 'Correct this file; the server serves the last good state, and a build ends here.'
  return thrown instanceof DeclarationError
    ? thrown.faults.map(text => fault(text, todo))
    : [fault(reasonOf(thrown), todo)]
}

const MOST_ROUTES = 10

export const routes: Check = {
  name: 'routes',
  async run({ root }) {
    if (!(await hasSources(root))) return NO_SOURCES
    const config = await loadFwConfig(root)
    const open = openRoutes(root)
      .map(({ path }) => path)
      .filter(path => !(config.routes.requireSession && path.startsWith(`${API_PLACE}/`)))
    if (open.length === 0) return ok('every route asks for a session, or is declared public')
    const more = open.length > MOST_ROUTES ? ` and ${open.length - MOST_ROUTES} more` : ''
    return warning(
      `without a session, anyone can call ${open.slice(0, MOST_ROUTES).join(', ')}${more}`,
      'Write `routes: { requireSession: true }` into fw.config.ts, which closes server/api, or `await requireSession(event)` into each route. Declare public ones with `definePublicRoute(…)`.',
    )
  },
}

/** The existing files that only their owner should be able to read. */
async function privateFiles({ root, source, config }: CheckInput): Promise<string[]> {
  const target = databaseTarget(config.database.url, config.database.replicaPath)
  const data = source.FW_DATA_DIR ?? '.data'
  const tokens = tokenFolder(source)
  const tokenFiles = await readdir(tokens).catch(() => [])
  const files = [
    '.env',
    '.env.production',
    join(data, 'development-secret'),
    ...('path' in target ? [target.path] : []),
    ...tokenFiles.filter(name => name.endsWith('.json')).map(name => join(tokens, name)),
  ]
  return files.map(file => resolve(root, file))
}

const OTHERS_READ = 0o044
const OTHERS_WRITE = 0o022

export const files: Check = {
  name: 'files',
  async run(input) {
    if (process.platform === 'win32') return { status: 'off', text: 'files have no modes on Windows' }
    const paths = await privateFiles(input)
    const findings = await Promise.all(paths.map(path => lookAt(path, input)))
    const open = findings.flatMap(each => each ?? [])
    const there = paths.filter(path => existsSync(path)).length
    return open.length > 0 ? open : ok(`${there} private files are this user’s alone`)
  },
}

async function lookAt(path: string, { root, config }: CheckInput): Promise<Found | undefined> {
  const mode = await stat(path).then(
    ({ mode: bits }) => bits & 0o777,
    () => undefined,
  )
  // A new database file gets the mode of the process. A file that others can read is a fault in production, where its rows
  // belong to real people.
  if (mode === undefined || (mode & (OTHERS_READ | OTHERS_WRITE)) === 0) return undefined
  const name = path.startsWith(`${root}/`) ? relative(root, path) : path
  const text = `${name} has the mode ${mode.toString(8)}: others on this machine can ${mode & OTHERS_WRITE ? 'change' : 'read'} it`
  const todo = `Run \`chmod 600 ${name}\`.`
  return config.environment === 'production' || (mode & OTHERS_WRITE) !== 0 ? fault(text, todo) : warning(text, todo)
}

export const port: Check = {
  name: 'port',
  async run({ source, config }) {
    const number = Number(source.PORT ?? 3000)
    if (await isFree(number, source.HOST)) return ok(`${number} is free`)
    const isOurs = (await readiness(config.baseUrl)).state !== 'away'
    return isOurs
      ? ok(`${number} is taken, and ${config.baseUrl} answers`)
      : warning(
          `${number} is taken by another program`,
          'End it, or choose another PORT; `nuxt dev` takes the next free one.',
        )
  },
}

function isFree(number: number, host?: string): Promise<boolean> {
  return new Promise(resolveTo => {
    const server = createServer()
    server.once('error', () => resolveTo(false))
    server.listen(number, host, () => server.close(() => resolveTo(true)))
  })
}
