// The worker inherits the environment of the moment of its start, so the hook `listen` sets the values that depend on the
// address. Nuxt restarts in processes that inherit them and miss changed values of `.env`. Each start therefore reverts the
// recorded values. Nuxt's command line expands `$` variables, but ours and the built server read `.env` literally, so this reads
// the file again.
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { z } from 'zod'
import { isLoopbackHost } from '../../shared/loopback'

/** Where the development server listens, as reported by Nuxt's command line. */
export interface Listening {
  address: { address: string; port: number }
  https: unknown
  urls: { url: string; type: string }[]
}

/** Whether other machines can reach the server. */
export const isExposed = ({ address: { address }, urls }: Listening): boolean =>
  !isLoopbackHost(address.includes(':') ? `[${address}]` : address) || urls.some(({ type }) => type === 'tunnel')

/** The settings that depend on the server's address, unless the environment already has them. */
export function listeningSettings(listening: Listening, env: NodeJS.Dict<string>): Record<string, string> {
  const { address, https, urls } = listening
  const settings = {
    PORT: String(address.port),
    FW_BASE_URL: env.FW_BASE_URL ?? `${https ? 'https' : 'http'}://localhost:${address.port}`,
  }
  if (!isExposed(listening)) return settings
  // Names that the developer requested are trusted.
  const hostnames = urls.filter(({ type }) => type !== 'local').map(({ url }) => new URL(url).hostname)
  const names = [...(env.FW_ALLOWED_HOSTS ?? '').split(','), ...hostnames].filter(Boolean)
  return {
    ...settings,
    FW_ALLOWED_HOSTS: [...new Set(names)].join(','),
    // A development account must never be offered to the network.
    FW_DISABLE_AUTO_DEV_ACCOUNT: '1',
  }
}

/** The file with the address of the development server that runs in this folder. */
export const devOriginFile = (rootDir: string): string =>
  resolve(rootDir, process.env.FW_DATA_DIR || '.data', 'dev-server')

type Environment = NodeJS.Dict<string>

/** The variable that records the earlier values of the environment. Restarted processes inherit both. */
const NOTE = '__FAIRWAY_DEV_SERVER__'
const noteSchema = z.record(z.string(), z.string().nullable())

const readNote = (env: Environment) => noteSchema.parse(JSON.parse(env[NOTE] ?? '{}'))

/** Sets these variables until the next start of the development server. */
export function setUntilRestart(env: Environment, values: Readonly<Environment>): void {
  const note = readNote(env)
  for (const [name, value] of Object.entries(values)) {
    if (!Object.hasOwn(note, name)) note[name] = env[name] ?? null
    put(env, name, value)
  }
  env[NOTE] = JSON.stringify(note)
}

/**
 * Starts with the original environment, with this text of `.env` as defaults, read as the command line reads it. Nuxt would
 * expand `$` variables, and a restarted process would keep old values of the file. `fromFile` names the variables that Nuxt has
 * set from the file.
 */
export function renewEnvironment(env: Environment, text: string, fromFile: Iterable<string>): void {
  for (const name of fromFile) delete env[name]
  for (const [name, value] of Object.entries(readNote(env))) put(env, name, value)
  delete env[NOTE]
  setUntilRestart(env, Object.fromEntries(Object.entries(parseEnv(text)).filter(([name]) => env[name] === undefined)))
}

function put(env: Environment, name: string, value: string | null | undefined): void {
  if (value === null || value === undefined) delete env[name]
  else env[name] = value
}
