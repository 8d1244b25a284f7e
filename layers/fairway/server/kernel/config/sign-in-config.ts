import { isLoopbackHost } from '#fairway/shared/loopback'
import type { Env } from './env'

interface ProviderClient {
  id: string
  name: string
  clientId: string
  clientSecret: string
}

/** A provider with OpenID Connect and a discovery document below its issuer. */
export interface OpenIdProvider extends ProviderClient {
  kind: 'openid'
  issuer: string
  /** The `prompt` that every sign-in sends. */
  prompt?: 'select_account'
  /** The client authentication at the token endpoint; when not set, the provider's metadata decides. */
  clientAuthentication?: 'basic' | 'post'
}

/** GitHub: OAuth 2.0 with a separate API for the user's identity. */
export interface GithubProvider extends ProviderClient {
  kind: 'github'
  /** The web address, for example `https://github.com`, without a trailing slash. */
  url: string
  /** The base address of the REST API. */
  apiUrl: string
}

export type SignInProvider = OpenIdProvider | GithubProvider

const GOOGLE_ISSUER = 'https://accounts.google.com'
const GITHUB_URL = 'https://github.com'
/** Ids with another meaning: built-in providers, and other sign-in methods that sessions and accounts name. */
const RESERVED_IDS = ['google', 'github', 'credential', 'dev', 'hub', 'local', 'magic-link', 'passkey', 'password']
/**
 * Names of surfaces that act without a sign-in. An organization that requires a provider of such a name would admit that surface.
 */
const SURFACES = ['a2a', 'auth-disabled', 'cli', 'embed', 'mcp', 'static-token']
const TAKEN_IDS = [...RESERVED_IDS, ...SURFACES]

/** The providers that people can sign in with, in the order they are offered: Google, GitHub, then the others. */
export function signInProviders(env: Env): SignInProvider[] {
  const providers: SignInProvider[] = []
  if (env.GOOGLE_CLIENT_ID && env.GOOGLE_CLIENT_SECRET) {
    const client = { clientId: env.GOOGLE_CLIENT_ID, clientSecret: env.GOOGLE_CLIENT_SECRET }
    const prompt = 'select_account'
    providers.push({ kind: 'openid', id: 'google', name: 'Google', issuer: GOOGLE_ISSUER, prompt, ...client })
  }
  if (env.GITHUB_CLIENT_ID && env.GITHUB_CLIENT_SECRET) {
    const client = { clientId: env.GITHUB_CLIENT_ID, clientSecret: env.GITHUB_CLIENT_SECRET }
    providers.push({ kind: 'github', id: 'github', name: 'GitHub', ...githubUrls(env.FW_GITHUB_URL), ...client })
  }
  return [...providers, ...(env.FW_OIDC_PROVIDERS ?? []).map(entry => ({ kind: 'openid' as const, ...entry }))]
}

/** The faults of the providers' settings, one sentence each. */
export function providerFaults(env: Env, environment: 'development' | 'test' | 'production'): string[] {
  const faults = [
    ...halfPair('GOOGLE', env.GOOGLE_CLIENT_ID, env.GOOGLE_CLIENT_SECRET),
    ...halfPair('GITHUB', env.GITHUB_CLIENT_ID, env.GITHUB_CLIENT_SECRET),
  ]
  const entries = env.FW_OIDC_PROVIDERS ?? []
  for (const [index, { id }] of entries.entries()) {
    if (TAKEN_IDS.includes(id)) {
      faults.push(`FW_OIDC_PROVIDERS: the id ${id} is reserved; choose another than ${TAKEN_IDS.join(', ')}`)
    }
    if (entries.findIndex(entry => entry.id === id) !== index) {
      faults.push(`FW_OIDC_PROVIDERS: the id ${id} is there twice`)
    }
  }
  faults.push(...connectionFaults(env, environment))
  if (environment !== 'production') return faults
  for (const { id, issuer } of entries) {
    if (!isSafe(issuer)) faults.push(`FW_OIDC_PROVIDERS: the issuer of ${id} must begin with https:// in production`)
  }
  if (env.FW_GITHUB_URL && !isSafe(env.FW_GITHUB_URL)) {
    faults.push('FW_GITHUB_URL: must begin with https:// in production')
  }
  return faults
}

function connectionFaults(env: Env, environment: string): string[] {
  const taken = new Set([...RESERVED_IDS, ...(env.FW_OIDC_PROVIDERS ?? []).map(({ id }) => id)])
  return (env.FW_OAUTH_PROVIDERS ?? []).flatMap(({ id, endpoints }) => {
    const faults = taken.has(id) ? [`FW_OAUTH_PROVIDERS: the id ${id} is there twice or means something else`] : []
    taken.add(id)
    const unsafe = environment === 'production' && Object.values(endpoints).some(url => url && !isSafe(url))
    return unsafe
      ? [...faults, `FW_OAUTH_PROVIDERS: the endpoints of ${id} must begin with https:// in production`]
      : faults
  })
}

const halfPair = (name: string, id: string | undefined, secret: string | undefined): string[] => {
  if (id && !secret) return [`${name}_CLIENT_SECRET: is missing while ${name}_CLIENT_ID is set`]
  if (secret && !id) return [`${name}_CLIENT_ID: is missing while ${name}_CLIENT_SECRET is set`]
  return []
}

// Allows plain http only for a provider on this machine, because tokens and secrets are sent there.
const isSafe = (url: string): boolean => url.startsWith('https://') || isLoopbackHost(new URL(url).hostname)

function githubUrls(configured = GITHUB_URL): { url: string; apiUrl: string } {
  const url = configured.replace(/\/+$/, '')
  return { url, apiUrl: url === GITHUB_URL ? 'https://api.github.com' : `${url}/api/v3` }
}

export interface SignInPolicyInput {
  /** `auth.requireEmailVerification`, else `AUTH_REQUIRE_EMAIL_VERIFICATION`; undefined when neither is set. */
  declared: boolean | undefined
  /** Whether a mail server is set: `SMTP_URL` and `EMAIL_FROM`. */
  sendsMail: boolean
  /** `AUTH_SKIP_EMAIL_VERIFICATION`; undefined when not set. */
  skipVerification: boolean | undefined
  environment: 'development' | 'test' | 'production'
  /** `AUTH_MAGIC_LINK`; undefined when not set. */
  magicLink: boolean | undefined
}

export interface SignInPolicy {
  /** Whether a link by mail is offered before the password. */
  magicLink: boolean
  /** Whether people can create an account with a password. */
  passwordSignUp: boolean
  /** Whether a password account opens only after its address is confirmed. */
  emailVerification: 'required' | 'skipped'
  /** Whether an unconfirmed address counts as the person's own, for example to accept an invitation. */
  acceptsUnverified: boolean
}

/** Returns the setting that lets accounts open before their address is confirmed; null where it must be confirmed first. */
export function unconfirmedBy(input: SignInPolicyInput, { inCode }: { inCode: boolean }): string | null {
  const { declared, skipVerification, environment } = input
  if (signInPolicy(input).emailVerification === 'required') return null
  if (declared === false) return inCode ? 'auth.requireEmailVerification' : 'AUTH_REQUIRE_EMAIL_VERIFICATION'
  if (declared === undefined && skipVerification) return 'AUTH_SKIP_EMAIL_VERIFICATION'
  return skipVerification === undefined && environment !== 'production' ? 'NODE_ENV' : 'SMTP_URL and EMAIL_FROM'
}

/**
 * Returns the available sign-in methods with an address (SPEC: Modes and switches): declared policy, else the skip switch, else
 * the environment's default.
 */
export function signInPolicy(input: SignInPolicyInput): SignInPolicy {
  const { declared, sendsMail, skipVerification, environment } = input
  // Outside of production, mails can go to the outbox.
  const mailReady = sendsMail || environment !== 'production'
  const wanted = declared ?? !(skipVerification ?? environment !== 'production')
  return {
    magicLink: mailReady && input.magicLink !== false,
    // A declared `true` needs a real mail server (SPEC: Modes and switches). A default that cannot be met falls back to unconfirmed
    // accounts.
    passwordSignUp: declared !== true || sendsMail,
    emailVerification: wanted && (mailReady || declared === true) ? 'required' : 'skipped',
    acceptsUnverified: !wanted,
  }
}

/** The requirements for passwords, and how they are hashed. */
export interface PasswordConfig {
  minLength: number
  maxLength: 128
  hashing: 'strong' | 'quick'
  /** The service that compares passwords with known breaches; undefined without one. */
  breachedAddress: string | undefined
}

/** Returns the password requirements. Hashes of the `test` environment are quick, so that tests are. */
export const passwordConfig = (env: Env, environment: NonNullable<Env['NODE_ENV']>): PasswordConfig => ({
  minLength: env.FW_PASSWORD_MIN_LENGTH ?? 12,
  maxLength: 128,
  hashing: environment === 'test' ? 'quick' : 'strong',
  breachedAddress: env.FW_BREACHED_PASSWORDS,
})
