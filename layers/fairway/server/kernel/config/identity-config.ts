import { z } from 'zod'
import { createKeyRing, type KeyRing } from '../crypto/seal'
import { jsonOf } from '../declaration'
import { sha256 } from '../crypto/hash'
import type { Env } from './env'
import type { FwConfig } from './fw-config'
import { readRegistry, type Registry, toOrigin } from './identity-registry'

/** The path that the hub redirects browsers to in each application that sets no other. */
export const IDENTITY_CALLBACK_PATH = '/_fw/identity/callback'

export interface IdentityConfig {
  /** The name of this application for other applications. */
  appId: string
  /** The secret that applications share; undefined where none is set. */
  shared?: SharedSecret
  /** The hub that people can sign in through. */
  client?: HubClientConfig
  /** Present where this application is a hub. */
  hub?: HubConfig
  /** Sign-in providers whose assertions from the hub are trusted. */
  trustedProviders: readonly string[]
  /** Origins of other applications by name. */
  peers: ReadonlyMap<string, string>
}

export interface SharedSecret {
  /** Keys derived from the secret, for one purpose each; the first signs. */
  keys: KeyRing
  /** The original secrets: other implementations sign with them directly, so they also verify. */
  secrets: [string, ...string[]]
}

export interface HubClientConfig {
  /** The hub's origin. */
  url: string
  appId: string
  clientId: string
  /** This application's callback, exactly as it is registered and as assertions name it. */
  callbackUrl: string
  /** True where only the application's declaration names the hub, so that browsers do not use it. */
  isDesktopOnly: boolean
}

export interface HubConfig extends Registry {
  /** Whether applications on this machine need no registration. */
  acceptsLoopback: boolean
}

interface IdentityInput {
  env: Env
  fwConfig: FwConfig
  baseUrl: string
  environment: 'development' | 'test' | 'production'
}

/** Returns the configuration for other applications, and the entries that were not accepted. */
export function identityConfig(input: IdentityInput): { identity: IdentityConfig; notices: string[] } {
  const { env, fwConfig } = input
  const notices: string[] = []
  const shared = sharedSecret(env)
  const peers = readPeers(env.FW_PEERS, notices)
  const hubUrl = readHubUrl(env.FW_IDENTITY_HUB_URL, notices)
  const { apps, ignored } = readRegistry(fwConfig.identity.apps, env.IDENTITY_SSO_APP_REGISTRY_JSON, notices)
  if (!shared && (hubUrl || apps.length > 0)) notices.push('A2A_SECRET: missing, so there is no identity hub')
  const appId = env.FW_APP_ID ?? fwConfig.appRoles?.appId ?? toAppId(fwConfig.brand.name)
  const identity = {
    appId,
    shared,
    client: shared && clientConfig(input, appId, hubUrl),
    hub: shared && hubConfig(input, { apps, ignored }, hubUrl),
    trustedProviders: env.FW_IDENTITY_TRUSTED_PROVIDERS ?? [],
    peers,
  }
  return { identity, notices }
}

function clientConfig(
  { env, fwConfig, baseUrl }: IdentityInput,
  appId: string,
  hubUrl: string | undefined,
): HubClientConfig | undefined {
  const url = [hubUrl, fwConfig.identity.hubUrl].find(candidate => candidate && candidate !== baseUrl)
  if (!url) return undefined
  const clientId = env.FW_SSO_CLIENT_ID ?? appId
  return { url, appId, clientId, callbackUrl: `${baseUrl}${IDENTITY_CALLBACK_PATH}`, isDesktopOnly: url !== hubUrl }
}

function hubConfig(
  { baseUrl, environment }: IdentityInput,
  registry: Registry,
  hubUrl: string | undefined,
): HubConfig | undefined {
  const isDevelopment = environment === 'development'
  if (registry.apps.length === 0 && hubUrl !== baseUrl && !isDevelopment) return undefined
  return { ...registry, acceptsLoopback: isDevelopment }
}

const sharedSecret = ({ A2A_SECRET: secret, A2A_SECRET_PREVIOUS: previous = [] }: Env): SharedSecret | undefined =>
  secret ? { keys: createKeyRing([secret, ...previous]), secrets: [secret, ...previous] } : undefined

const toAppId = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^[^a-z]+|-+$/g, '') || 'app'

function readHubUrl(value: string | undefined, notices: string[]): string | undefined {
  if (value === undefined) return undefined
  const origin = toOrigin(value)
  if (!origin) notices.push('FW_IDENTITY_HUB_URL: must be the origin of the hub, with https; it is ignored')
  return origin
}

function readPeers(value: string | undefined, notices: string[]): Map<string, string> {
  if (value === undefined) return new Map()
  const parsed = z.record(z.string(), z.unknown()).safeParse(jsonOf(value))
  if (!parsed.success) notices.push('FW_PEERS: must be a JSON object of origins by name; it is ignored')
  return new Map(
    Object.entries(parsed.data ?? {}).flatMap(([name, url]) => {
      const origin = typeof url === 'string' && /^[a-z][a-z0-9-]{0,62}$/.test(name) ? toOrigin(url) : undefined
      if (!origin)
        notices.push(`FW_PEERS: the entry ${JSON.stringify(name.slice(0, 63))} is not accepted; it is ignored`)
      return origin ? [[name, origin] as const] : []
    }),
  )
}

export interface McpConfig {
  /** Origins besides our own whose pages may call `/mcp`. */
  allowedOrigins: readonly string[]
  /** SHA-256 of each static bearer token; the tokens themselves are not kept. */
  staticTokenHashes: readonly string[]
  /** The identity of static bearer tokens. */
  ownerEmail: string | null
  /** What `mcp` of fw.config.ts says about the application. */
  about: FwConfig['mcp']
  /** The silence after which a call's response becomes a stream, and the interval of its keep-alive messages. */
  keepAliveInMs: number
}

/** The settings of the protected remote endpoint. */
export const mcpConfig = (env: Env, fwConfig: FwConfig): McpConfig => ({
  allowedOrigins: env.FW_MCP_ALLOWED_ORIGINS ?? [],
  staticTokenHashes: [...(env.ACCESS_TOKEN ? [env.ACCESS_TOKEN] : []), ...(env.ACCESS_TOKENS ?? [])].map(token =>
    sha256(token),
  ),
  ownerEmail: env.FW_OWNER_EMAIL ?? null,
  about: fwConfig.mcp,
  keepAliveInMs: 10_000,
})
