import { createKeyRing, type KeyRing } from '../crypto/seal'
import type { LogLevel } from '../events/log'
import type { MailOverrides } from '../mail/mail-overrides'
import { canonicalAddress } from '../http/client-address'
import { allowedHosts, baseUrlOf, type DatabaseConfig, databaseConfig, faultsOf } from './environment'
import type { Brand } from './brand'
import type { CollectionsConfig } from './collections-config'
import type { PlansConfig } from './plans-config'
import type { Permissions } from '../permissions'
import type { DeclaredCredential, CustomSignIn, AppRolesDeclaration, FwConfig } from './fw-config'
import { ConfigError, type Env } from './env'
import { type FilesConfig, filesConfig, uploadLimits } from './files-config'
import { identityConfig, type IdentityConfig, mcpConfig, type McpConfig } from './identity-config'
import {
  signInPolicy,
  type SignInPolicy,
  type SignInPolicyInput,
  unconfirmedBy,
  type PasswordConfig,
  passwordConfig,
  type SignInProvider,
  signInProviders,
} from './sign-in-config'

export interface Config {
  environment: 'development' | 'test' | 'production'
  /** The product's name and looks; `name` is its name alone. */
  brand: Brand
  name: string
  /** The public origin without a trailing slash, for example `https://app.example.com`. */
  baseUrl: string
  isHttps: boolean
  /** The host names that requests may use besides those of this machine; null where every name is allowed. */
  allowedHosts: ReadonlySet<string> | null
  database: DatabaseConfig
  files: FilesConfig
  uploads: typeof uploadLimits
  keys: KeyRing
  password: PasswordConfig
  /** Whether everyone needs a second factor, and after how many days. */
  secondFactor: { isRequired: boolean; graceDays: number }
  /** `offered`: created on first use from a loopback peer; `off`: not created, and not signed in. */
  devAccount: 'offered' | 'off'
  /** Whether this is a developer's own machine that other machines cannot reach. */
  isOwnMachine: boolean
  /** The fixed identity of every request, when sign-in is disabled. */
  authDisabled?: { email: string }
  /** The application's own sign-in, which replaces Fairway's. */
  customSignIn: CustomSignIn | null
  signIn: SignInPolicy
  /** The setting that lets accounts open before their address is confirmed; null where it must be confirmed first. */
  unconfirmedBy: string | null
  autoCreateDefaultOrg: boolean
  /** How many days a deleted organization can be restored. */
  orgDeletionGrace: number
  appRoles: AppRolesDeclaration | null
  /** The permissions that the application declares. */
  permissions: Permissions
  /** The features and limits of each plan; null where organizations have no limits. */
  plans: PlansConfig | null
  /** The providers that people can sign in with, in the order they are offered. */
  signInProviders: SignInProvider[]
  connections: ConnectionsConfig
  /** The credentials that actions require. */
  credentials: readonly DeclaredCredential[]
  mail: MailConfig
  /** Texts that replace the platform's own texts in mails. */
  mails: MailOverrides
  /** The public pages that search engines can find. */
  publicPages: FwConfig['publicPages']
  rateLimits: boolean
  /** Whether responses may take faster code paths, which return the same result. */
  shortcuts: boolean
  trustedProxies: string[]
  /** How long the server keeps an idle connection open. */
  idleConnectionsInMs: number
  /** How many seconds shared caches may keep application pages; null switches caching off. */
  shellCacheInSeconds: number | null
  actionTimeoutInSeconds: number
  localIdentity: { enabled: boolean; email?: string }
  /** The sites that may show our embed pages in a frame, as the `frame-ancestors` value of a Content-Security-Policy. */
  embedAncestors: string
  oauth: OAuthConfig
  builder: BuilderConfig
  legal: FwConfig['legal']
  collections: CollectionsConfig
  mcp: McpConfig
  /** Settings for other applications. */
  identity: IdentityConfig
  /** Settings that are ignored because they are not accepted; logged once at start. */
  notices: readonly string[]
  /** Lower-case email addresses of the people who run this installation. */
  operators: readonly string[]
  /** Origins that webhooks may use although they are not public. */
  webhookOrigins: readonly string[]
  /** Origins of organizations' OpenID providers that may be inside the network. */
  issuerOrigins: readonly string[]
  /** The DNS servers for proofs of domains; empty for those of the machine. */
  dnsServers: readonly string[]
  metricsToken?: string
  localMigration: LocalMigrationConfig
  logLevel: LogLevel
}

export interface OAuthConfig {
  /** The lifetime of an access token. */
  accessTokenLifeInSeconds: number
  /** Whether the metadata invites hosts to use a client ID metadata document; `off` also refuses such documents. */
  clientDocuments: NonNullable<Env['FW_CLIENT_DOCUMENTS']>
  /** How long a used refresh token still returns the same successor; 0 for never. */
  refreshReplayWindowInSeconds: number
}

/** External providers that people connect accounts of, besides those for signing in. */
export interface ConnectionsConfig {
  providers: NonNullable<Env['FW_OAUTH_PROVIDERS']>
  /** Clients by provider id. */
  clients: NonNullable<Env['FW_PROVIDER_CLIENTS']>
}

export interface BuilderConfig {
  /** Origins of the builder service: its pages and its API. */
  appHost: string
  apiHost: string
  /** The people who may open browsers with the shared keys. */
  admitted: FwConfig['builder']
  /** Present when the application is connected. */
  credentials?: { privateKey: string; publicKey: string; userId?: string }
}

/** Whether local data without an account can be moved to an account here, and by whom. */
export interface LocalMigrationConfig {
  isOffered: boolean
  /** The only address that it may be moved to, when one is set. */
  owner?: string
}

export interface MailConfig {
  /** Present when mail can be sent: a server and a sender. */
  smtp?: { url: string; from: string }
  /** The folder that mails are written to where none are sent; null in production. */
  outbox: string | null
  /** Whether the developer on this machine can see that folder as pages. */
  showsOutbox: boolean
}

export const DEV_EMAIL = 'dev@local.test'
/** The owner of rows that older applications wrote before there were accounts. Only the migration uses it, never a session. */
export const LEGACY_LOCAL_EMAIL = 'local@localhost'

const connectionsConfig = ({ FW_IDLE_CONNECTIONS: idle = 130 }: Env) => ({ idleConnectionsInMs: idle * 1000 })

/** Builds the configuration from the environment. Throws one ConfigError that lists every fault of this environment. */
export function loadConfig(env: Env, fwConfig: FwConfig, devSecret?: string): Config {
  const environment = env.NODE_ENV ?? 'production'
  const faults = faultsOf(env, environment, devSecret)
  if (faults.length > 0) throw new ConfigError(faults)
  const baseUrl = baseUrlOf(env)
  return Object.freeze({
    environment,
    brand: fwConfig.brand,
    name: fwConfig.brand.name,
    baseUrl,
    isHttps: baseUrl.startsWith('https:'),
    allowedHosts: allowedHosts(env),
    database: databaseConfig(env),
    keys: createKeyRing([env.BETTER_AUTH_SECRET ?? devSecret ?? '', ...(env.BETTER_AUTH_SECRET_PREVIOUS ?? [])]),
    ...signInConfig(env, environment, fwConfig),
    ...customSignInConfig(fwConfig),
    ...operationConfig(env),
    mail: mailConfig(env, environment),
    mails: fwConfig.mails,
    publicPages: fwConfig.publicPages,
    appRoles: fwConfig.appRoles,
    permissions: fwConfig.permissions,
    plans: fwConfig.plans,
    credentials: fwConfig.credentials,
    ...connectionsConfig(env),
    trustedProxies: (env.FW_TRUSTED_PROXIES ?? []).map(canonicalAddress),
    shellCacheInSeconds: env.FW_SHELL_CACHE === 'off' ? null : (env.FW_SHELL_CACHE ?? 600),
    actionTimeoutInSeconds: fwConfig.actionTimeoutInSeconds,
    embedAncestors: [`'self'`, ...(env.FW_EMBED_ANCESTORS ?? [])].join(' '),
    oauth: oauthConfig(env),
    legal: fwConfig.legal,
    builder: builderConfig(env, fwConfig),
    collections: fwConfig.collections,
    mcp: mcpConfig(env, fwConfig),
    ...identityConfig({ env, fwConfig, baseUrl, environment }),
    shortcuts: env.FW_SHORTCUTS !== 'off',
    logLevel: env.FW_LOG_LEVEL ?? 'info',
  } satisfies Config)
}

const mailConfig = (env: Env, environment: Config['environment']): MailConfig => ({
  smtp: env.SMTP_URL && env.EMAIL_FROM ? { url: env.SMTP_URL, from: env.EMAIL_FROM } : undefined,
  outbox: environment === 'production' ? null : `${env.FW_DATA_DIR ?? '.data'}/outbox`,
  // Mails contain links that sign in.
  showsOutbox: isOwnMachine(env, environment) && !isMailSent(env),
})

// Without the development account, the server may listen to more than this machine.
const isOwnMachine = (env: Env, environment: Config['environment']): boolean =>
  environment === 'development' && !env.FW_DISABLE_AUTO_DEV_ACCOUNT

const isMailSent = (env: Env): boolean => Boolean(env.SMTP_URL && env.EMAIL_FROM)

const oauthConfig = (env: Env): OAuthConfig => ({
  accessTokenLifeInSeconds: env.FW_ACCESS_TOKEN_LIFETIME ?? 3600,
  clientDocuments: env.FW_CLIENT_DOCUMENTS ?? 'auto',
  refreshReplayWindowInSeconds: env.FW_REFRESH_REPLAY_WINDOW ?? 10,
})

const operationConfig = (env: Env) => ({
  autoCreateDefaultOrg: env.AUTO_CREATE_DEFAULT_ORG ?? true,
  orgDeletionGrace: env.FW_ORG_DELETION_GRACE ?? 7,
  connections: { providers: env.FW_OAUTH_PROVIDERS ?? [], clients: env.FW_PROVIDER_CLIENTS ?? {} },
  operators: env.FW_OPERATORS ?? [],
  webhookOrigins: env.FW_WEBHOOK_ORIGINS ?? [],
  issuerOrigins: env.FW_ISSUER_ORIGINS ?? [],
  dnsServers: env.FW_DNS_SERVERS ?? [],
  metricsToken: env.FW_METRICS_TOKEN,
  files: filesConfig(env),
  uploads: uploadLimits,
})

/** Returns whether a builder service is connected, its origins, and who may use it. */
export const builderConfig = (env: Env, { builder }: Pick<FwConfig, 'builder'>): BuilderConfig => ({
  admitted: builder,
  appHost: env.BUILDER_APP_HOST ?? 'https://builder.io',
  apiHost: env.BUILDER_API_HOST ?? 'https://api.builder.io',
  credentials:
    env.BUILDER_PRIVATE_KEY && env.BUILDER_PUBLIC_KEY
      ? { privateKey: env.BUILDER_PRIVATE_KEY, publicKey: env.BUILDER_PUBLIC_KEY, userId: env.BUILDER_USER_ID }
      : undefined,
})

const signInPolicyInput = (
  env: Env,
  environment: Config['environment'],
  auth: FwConfig['auth'],
): SignInPolicyInput => ({
  declared: auth.requireEmailVerification ?? env.AUTH_REQUIRE_EMAIL_VERIFICATION,
  sendsMail: isMailSent(env),
  skipVerification: env.AUTH_SKIP_EMAIL_VERIFICATION,
  environment,
  magicLink: env.AUTH_MAGIC_LINK,
})

type SignInConfig = Pick<
  Config,
  | 'signIn'
  | 'unconfirmedBy'
  | 'signInProviders'
  | 'password'
  | 'secondFactor'
  | 'devAccount'
  | 'isOwnMachine'
  | 'authDisabled'
  | 'rateLimits'
  | 'localIdentity'
  | 'localMigration'
>

const signInConfig = (env: Env, environment: Config['environment'], { auth }: FwConfig): SignInConfig => ({
  password: passwordConfig(env, environment),
  secondFactor: {
    isRequired: Boolean(env.FW_REQUIRE_SECOND_FACTOR),
    graceDays: env.FW_REQUIRE_SECOND_FACTOR === 'at-once' ? 0 : 7,
  },
  devAccount: isOwnMachine(env, environment) ? 'offered' : 'off',
  isOwnMachine: isOwnMachine(env, environment),
  authDisabled: env.AUTH_DISABLED ? { email: DEV_EMAIL } : undefined,
  signIn: signInPolicy(signInPolicyInput(env, environment, auth)),
  unconfirmedBy: unconfirmedBy(signInPolicyInput(env, environment, auth), {
    inCode: auth.requireEmailVerification !== undefined,
  }),
  signInProviders: signInProviders(env),
  rateLimits: env.FW_RATE_LIMITS !== 'off',
  localIdentity: { enabled: env.AUTH_MODE === 'local' && environment !== 'production', email: env.FW_USER_EMAIL },
  localMigration: {
    isOffered: environment === 'development' || env.FW_LOCAL_DATA_OWNER !== undefined,
    owner: env.FW_LOCAL_DATA_OWNER,
  },
})

/** Whether Fairway signs people in: not where the application does, and not where `AUTH_DISABLED` gives everyone one identity. */
export const signsIn = ({ customSignIn, authDisabled }: Pick<Config, 'customSignIn' | 'authDisabled'>): boolean =>
  !customSignIn && !authDisabled

/** An application with its own sign-in turns off all of Fairway's sign-in methods. */
const customSignInConfig = ({ getSession, signedInAt, signInUrl, endSession }: FwConfig) =>
  getSession
    ? {
        customSignIn: { getSession, signedInAt, signInUrl, endSession },
        devAccount: 'off' as const,
        signInProviders: [],
        localMigration: { isOffered: false, owner: undefined },
      }
    : { customSignIn: null }
