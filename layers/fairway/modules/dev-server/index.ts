// The worker of a development server sees a Unix socket, not the browser: `nuxt dev` listens on loopback, and the development
// account is off when it was told to listen elsewhere. Nuxt listens on all addresses in containers when no host is named.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { defineNuxtModule, updateTemplates, useLogger, type useNuxt } from '@nuxt/kit'
import { serveDevelopment } from './development-server'
import {
  devOriginFile,
  isExposed,
  type Listening,
  listeningSettings,
  renewEnvironment,
  setUntilRestart,
} from './environment'
import { guardFiles } from './guard-files'
import { guardRequests } from './guard-requests'

declare module '@nuxt/schema' {
  interface NuxtHooks {
    // As @nuxt/icon declares it.
    'icon:clientBundleIcons'(icons: Set<string>): void
  }
}

interface Listener extends Omit<Listening, 'urls'> {
  getURLs(): Promise<Listening['urls']>
}

/** `nuxt dev`: the server's settings follow from where it listens, and it answers to names of its own only. */
export default defineNuxtModule({
  meta: { name: 'dev-server' },
  setup(_options, nuxt) {
    if (!nuxt.options.dev || nuxt.options._prepare) return
    const logger = useLogger('dev')
    beginIn(nuxt.options.rootDir)
    endWithCommand()
    const gate = guardRequests(nuxt)
    // Before the server's worker begins, which takes the environment of this moment.
    nuxt.hook('listen', async (_server, listener: Listener) => {
      const { address, https } = listener
      const listening = { address, https, urls: await listener.getURLs() }
      setUntilRestart(process.env, listeningSettings(listening, process.env))
      gate.open(listening)
      noteOrigin(nuxt.options.rootDir)
      if (isExposed(listening)) logger.info(exposedNotice(address.address))
      logger.info(`open ${process.env.FW_BASE_URL}`)
    })
    guardFiles(nuxt)
    serveDevelopment(nuxt)
    bundleNewIcons(nuxt)
  },
})

/** Leaves the address where the command line finds it: mails that it sends lead to this server. */
function noteOrigin(rootDir: string): void {
  const path = devOriginFile(rootDir)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, process.env.FW_BASE_URL ?? '')
}

const exposedNotice = (address: string): string =>
  `listening on ${address}. Other machines can open the app: its pages, its API, and the sources of its pages under /_nuxt. ` +
  'The development account, the outbox and DevTools are off. Data, secrets and other files are never served.'

/** The module of icons looks for their names when the server begins; here it is told of those that come later. */
function bundleNewIcons(nuxt: ReturnType<typeof useNuxt>): void {
  const later = new Set<string>()
  nuxt.hook('icon:clientBundleIcons', icons => later.forEach(name => icons.add(name)))
  nuxt.hook('builder:watch', async (_event, path) => {
    const file = resolve(nuxt.options.srcDir, path)
    if (!/\.(vue|ts)$/.test(file) || !existsSync(file)) return
    const before = later.size
    for (const [, name] of readFileSync(file, 'utf8').matchAll(/\blucide[:-]([a-z0-9-]+)\b/g))
      later.add(`lucide:${name}`)
    if (later.size === before) return
    await nuxt.runWithContext(() => updateTemplates({ filter: ({ filename }) => filename === 'icons.css' }))
  })
}

/** Makes the application's folder the one that relative paths begin in, wherever the command was given, and reads its `.env`. */
function beginIn(rootDir: string): void {
  process.chdir(rootDir)
  // Another file, which Nuxt has read already.
  if (process.argv.some(argument => argument.startsWith('--dotenv'))) return
  const file = join(rootDir, '.env')
  renewEnvironment(process.env, existsSync(file) ? readFileSync(file, 'utf8') : '', namesFromFile())
}

/** What Nuxt's reader of configurations (c12) has set from `.env` in this process. */
function namesFromFile(): Iterable<string> {
  const read: unknown = Reflect.get(globalThis, '__c12_dotenv_vars__')
  const names: unknown = read instanceof Map ? read.get(process.env) : undefined
  return names instanceof Set ? names : []
}

/** Nuxt begins again in a process of its own, and forgets it when the command is told to end. */
function endWithCommand(): void {
  if (process.env.__NUXT__FORK && process.listenerCount('disconnect', end) === 0) process.once('disconnect', end)
}

const end = (): never => process.exit()
