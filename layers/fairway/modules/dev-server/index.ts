// The worker of a development server sees a Unix socket, not the browser. So `nuxt dev` listens on loopback, and the development
// account is off for other addresses. Without a configured host, Nuxt listens on all addresses in containers.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { defineNuxtModule, useLogger } from '@nuxt/kit'
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
import { holdRequests } from './hold-requests'

interface Listener extends Omit<Listening, 'urls'> {
  getURLs(): Promise<Listening['urls']>
}

/** `nuxt dev`: derives the server's settings from its address, and accepts only its own host names. */
export default defineNuxtModule({
  meta: { name: 'dev-server' },
  setup(_options, nuxt) {
    if (!nuxt.options.dev || nuxt.options._prepare) return
    const logger = useLogger('dev')
    beginIn(nuxt.options.rootDir)
    endWithCommand()
    const gate = guardRequests(nuxt)
    // Runs before the server's worker starts, because the worker inherits the environment of that moment.
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
    holdRequests(nuxt)
    serveDevelopment(nuxt)
  },
})

/** Writes the address for the command line: emails that it sends link to this server. */
function noteOrigin(rootDir: string): void {
  const path = devOriginFile(rootDir)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, process.env.FW_BASE_URL ?? '')
}

const exposedNotice = (address: string): string =>
  `listening on ${address}. Other machines can open the app: its pages, its API, and the sources of its pages under /_nuxt. ` +
  'The development account, the outbox and DevTools are off. Data, secrets and other files are never served.'

/**
 * Resolves relative paths from the application's folder, independent of the working directory of the command, and reads its
 * `.env`.
 */
function beginIn(rootDir: string): void {
  process.chdir(rootDir)
  // Nuxt has already read this other file.
  if (process.argv.some(argument => argument.startsWith('--dotenv'))) return
  const file = join(rootDir, '.env')
  renewEnvironment(process.env, existsSync(file) ? readFileSync(file, 'utf8') : '', namesFromFile())
}

/** The variables that Nuxt's configuration reader (c12) has set from `.env` in this process. */
function namesFromFile(): Iterable<string> {
  const read: unknown = Reflect.get(globalThis, '__c12_dotenv_vars__')
  const names: unknown = read instanceof Map ? read.get(process.env) : undefined
  return names instanceof Set ? names : []
}

/** Nuxt restarts in a child process and does not end it with the command. This ends it when the parent disconnects. */
function endWithCommand(): void {
  if (process.env.__NUXT__FORK && process.listenerCount('disconnect', end) === 0) process.once('disconnect', end)
}

const end = (): never => process.exit()
