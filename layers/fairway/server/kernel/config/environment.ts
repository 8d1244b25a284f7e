import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isLoopbackHost } from '#fairway/shared/loopback'
import { nearestName } from '#fairway/shared/nearest-name'
import { newId, randomToken } from '../crypto/random'
import type { OpenDatabaseOptions } from '../database/client'
import { type Env, envTable } from './env'
import { filesFaults } from './files-config'
import { providerFaults } from './sign-in-config'

/**
 * The host names that requests may use besides those of this machine; null where every name is allowed. DNS rebinding points a
 * foreign name at this machine. Without this list, another site's page would then count as ours where visitors are signed in
 * automatically or the application runs locally.
 */
export function allowedHosts(env: Env): ReadonlySet<string> | null {
  const { hostname } = new URL(baseUrlOf(env))
  const isGuarded = env.NODE_ENV === 'development' || env.AUTH_DISABLED === true || isLoopbackHost(hostname)
  return isGuarded ? new Set([hostname, ...(env.FW_ALLOWED_HOSTS ?? [])]) : null
}

/** The public origin without a trailing slash, for example `https://app.example.com`. */
export const baseUrlOf = (env: Env): string => new URL(env.FW_BASE_URL ?? `http://localhost:${env.PORT ?? 3000}`).origin

/** The faults of an environment's public origin. */
function originFaults(env: Env): string[] {
  if (!env.FW_BASE_URL) return []
  const url = new URL(env.FW_BASE_URL)
  const isOrigin = url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password
  return isOrigin ? [] : ['FW_BASE_URL: must be an origin only, without path, query or user name']
}

const MIN_SECRET_LENGTH = 32
const EXAMPLE_SECRET = /replace[-_ ]?me|change[-_ ]?me|example|your[-_ ]?secret|^secret|better-auth-secret|^(.)\1+$/i

/** The faults of an environment's secrets; names them, never their values. */
function secretFaults(env: Env): string[] {
  const named = [
    ...(env.BETTER_AUTH_SECRET ? [['BETTER_AUTH_SECRET', env.BETTER_AUTH_SECRET] as const] : []),
    ...(env.BETTER_AUTH_SECRET_PREVIOUS ?? []).map(secret => ['BETTER_AUTH_SECRET_PREVIOUS', secret] as const),
    ...(env.A2A_SECRET ? [['A2A_SECRET', env.A2A_SECRET] as const] : []),
    ...(env.A2A_SECRET_PREVIOUS ?? []).map(secret => ['A2A_SECRET_PREVIOUS', secret] as const),
  ]
  return named.flatMap(([name, secret]) => {
    if (secret.length < MIN_SECRET_LENGTH) return [`${name}: shorter than ${MIN_SECRET_LENGTH} characters`]
    if (EXAMPLE_SECRET.test(secret)) return [`${name}: is an example value`]
    return []
  })
}

/**
 * Reads the development secret of a data folder, or creates one (mode 0600) on first use. Processes that start at once use the
 * same secret.
 */
export function devSecret(dataDir: string): string {
  const path = join(dataDir, 'development-secret')
  mkdirSync(dataDir, { recursive: true })
  const draft = `${path}.${newId()}`
  writeFileSync(draft, randomToken(48), { mode: 0o600 })
  try {
    // A link appears whole or is absent, so no process reads a half-written secret.
    linkSync(draft, path)
  } catch (error) {
    if (!isAlreadyThere(error)) throw error
  } finally {
    rmSync(draft)
  }
  return readFileSync(path, 'utf8')
}

const isAlreadyThere = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EEXIST'

/** Returns names that look like ours but are not in the table, each with the nearest known name. */
export function unknownNames(source: Record<string, string | undefined>): { name: string; nearest: string }[] {
  const known = Object.keys(envTable)
  return Object.keys(source)
    .filter(name => name.startsWith('FW_') && !Object.hasOwn(envTable, name))
    .map(name => ({ name, nearest: nearestName(name, known) }))
}

/** The location of the database, and how it is reached. */
export type DatabaseConfig = Omit<OpenDatabaseOptions, 'log' | 'limits'>

/** Returns the location of this environment's data. */
export const databaseConfig = (env: Env): DatabaseConfig => ({
  url: env.DATABASE_URL ?? `file:${env.FW_DATA_DIR ?? '.data'}/fairway.db`,
  authToken: env.DATABASE_AUTH_TOKEN,
  replicaPath: env.FW_DATABASE_REPLICA,
  replicaSyncInSeconds: env.FW_DATABASE_REPLICA_SYNC,
  remembers: env.FW_DATABASE_MEMORY,
  shortcuts: env.FW_SHORTCUTS !== 'off',
})

/** Returns the settings of an environment that cannot be used, and why. Names settings, never the values of secrets. */
export const faultsOf = (env: Env, environment: NonNullable<Env['NODE_ENV']>, devSecret?: string): string[] => [
  ...(environment === 'production' ? productionFaults(env) : developmentFaults(env, devSecret)),
  ...providerFaults(env, environment),
  ...filesFaults(env),
]

function productionFaults(env: Env): string[] {
  const faults = originFaults(env)
  if (!env.FW_BASE_URL)
    faults.push('FW_BASE_URL: production needs the public address, for example https://app.example.com')
  if (!env.BETTER_AUTH_SECRET)
    faults.push('BETTER_AUTH_SECRET: production needs a secret; make one with `openssl rand -base64 48`')
  if (env.AUTH_DISABLED && !env.FW_ALLOW_AUTH_DISABLED) {
    faults.push('AUTH_DISABLED: production does not start without sign-in unless FW_ALLOW_AUTH_DISABLED=1 is set too')
  }
  return [...faults, ...secretFaults(env)]
}

function developmentFaults(env: Env, devSecret: string | undefined): string[] {
  const faults = originFaults(env)
  if (!env.BETTER_AUTH_SECRET && !devSecret)
    faults.push('BETTER_AUTH_SECRET: not set, and no development secret could be made')
  return [...faults, ...secretFaults(env)]
}
