// The worker takes the environment of the moment in which it begins: what follows from the address is set in the hook `listen`.
// Nuxt begins again in processes that inherit it and read no changed value of `.env`, so what was set is noted and taken back at
// each start. Its command line puts variables in the place of `$`; ours and the built server take `.env` to the letter, so the
// file is read again.
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { z } from 'zod'
import { isLoopbackHost } from '../../shared/loopback'

/** Where the development server listens, as Nuxt's command line tells it. */
export interface Listening {
  address: { address: string; port: number }
  https: unknown
  urls: { url: string; type: string }[]
}

/** Whether others than the programs of this machine can reach it. */
export const isExposed = ({ address: { address }, urls }: Listening): boolean =>
  !isLoopbackHost(address.includes(':') ? `[${address}]` : address) || urls.some(({ type }) => type === 'tunnel')

/** The settings that follow from where the server listens, beside those that the environment has already. */
export function listeningSettings(listening: Listening, env: NodeJS.Dict<string>): Record<string, string> {
  const { address, https, urls } = listening
  const settings = {
    PORT: String(address.port),
    FW_BASE_URL: env.FW_BASE_URL ?? `${https ? 'https' : 'http'}://localhost:${address.port}`,
  }
  if (!isExposed(listening)) return settings
  // What was asked for by name is no name that a stranger made.
  const asked = urls.filter(({ type }) => type !== 'local').map(({ url }) => new URL(url).hostname)
  const names = [...(env.FW_ALLOWED_HOSTS ?? '').split(','), ...asked].filter(Boolean)
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

/** Where it is noted what stood in the environment before. The processes that a restart begins inherit both. */
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
 * Begins a start with the environment that was given, and this text of `.env` below it, read as the command line reads it:
 * Nuxt would put other variables in the place of `$`, and a restarted process would keep what the file said before.
 * `fromFile` names what Nuxt has set from the file.
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
