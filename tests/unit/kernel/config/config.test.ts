import { describe, expect, it } from 'vitest'
import { loadConfig } from '#fairway/server/kernel/config/config'
import { ConfigError, readEnv } from '#fairway/server/kernel/config/env'
import { unknownNames } from '#fairway/server/kernel/config/environment'
import { defineFwConfig } from '#fairway/server/kernel/config/fw-config'
import { SECRET } from '../../../support/secrets'

const load = (source: Record<string, string>, devSecret?: string) =>
  loadConfig(readEnv(source), defineFwConfig(), devSecret)
const production = { NODE_ENV: 'production', FW_BASE_URL: 'https://app.example.test', BETTER_AUTH_SECRET: SECRET }

const faultsOf = (run: () => unknown): string[] => {
  try {
    run()
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}

describe('readEnv', () => {
  it('reports all faults at once without repeating a value', () => {
    const faults = faultsOf(() =>
      readEnv({ PORT: 'abc-value', DATABASE_URL: 'mysql://secret-value', FW_LOG_LEVEL: 'loud-value' }),
    )
    expect(faults.map(fault => fault.split(':')[0])).toEqual(['PORT', 'FW_LOG_LEVEL', 'DATABASE_URL'])
    expect(faults.join()).not.toMatch(/value/)
  })

  it('reads the addresses of settings as those of accounts', () => {
    const { FW_OPERATORS, FW_OWNER_EMAIL } = readEnv({
      FW_OPERATORS: 'R&D@Firm.example, ada@example.test',
      FW_OWNER_EMAIL: ' R&D@Firm.example',
    })
    expect(FW_OPERATORS).toEqual(['r&d@firm.example', 'ada@example.test'])
    expect(FW_OWNER_EMAIL).toBe('r&d@firm.example')
    expect(defineFwConfig({ builder: { emails: ['R&D@Firm.example'] } }).builder.emails).toEqual(['r&d@firm.example'])
    expect(faultsOf(() => readEnv({ FW_OPERATORS: 'ada@example.test,\u212aate@example.test' }))).toEqual([
      'FW_OPERATORS: Invalid email address',
    ])
  })

  it.each(['59', '3601', '0', '15m', '90.5', '-60'])('refuses %j as FW_ACCESS_TOKEN_LIFETIME', life => {
    expect(faultsOf(() => readEnv({ FW_ACCESS_TOKEN_LIFETIME: life }))[0]).toMatch(/^FW_ACCESS_TOKEN_LIFETIME: /)
  })

  it.each([
    ['60', 60],
    ['3600', 3600],
    ['', 3600],
  ])('accepts %j as FW_ACCESS_TOKEN_LIFETIME', (life, seconds) => {
    const { oauth } = load({ ...production, FW_ACCESS_TOKEN_LIFETIME: life })
    expect([oauth.accessTokenLifeInSeconds, oauth.refreshReplayWindowInSeconds]).toEqual([seconds, 10])
  })

  it('keeps idle connections for 130 seconds by default, longer than Caddy’s 120, and accepts other values', () => {
    expect(load(production).idleConnectionsInMs).toBe(130_000)
    expect(load({ ...production, FW_IDLE_CONNECTIONS: '620' }).idleConnectionsInMs).toBe(620_000)
    expect(faultsOf(() => readEnv({ FW_IDLE_CONNECTIONS: '0' }))).toHaveLength(1)
  })

  it('treats an empty variable as unset', () => {
    expect(readEnv({ PORT: '', FW_BASE_URL: '' })).toEqual({})
  })

  it('reads flags, lists and numbers', () => {
    expect(readEnv({ AUTH_DISABLED: 'true', FW_TRUSTED_PROXIES: '10.0.0.1, 10.0.0.2', PORT: '8080' })).toEqual({
      AUTH_DISABLED: true,
      FW_TRUSTED_PROXIES: ['10.0.0.1', '10.0.0.2'],
      PORT: 8080,
    })
  })

  it('suggests the nearest known setting for a misspelled one', () => {
    expect(unknownNames({ FW_BASEURL: 'x', OTHER: 'x', FW_LOG_LEVEL: 'info' })).toEqual([
      { name: 'FW_BASEURL', nearest: 'FW_BASE_URL' },
    ])
  })
})

describe('loadConfig in production', () => {
  it('accepts a public address and a real secret', () => {
    expect(load(production)).toMatchObject({
      environment: 'production',
      baseUrl: 'https://app.example.test',
      isHttps: true,
      devAccount: 'off',
    })
  })

  it('is the default when NODE_ENV is unset', () => {
    const { NODE_ENV: _, ...rest } = production
    expect(load(rest).environment).toBe('production')
  })

  it('refuses to start without a base URL and a secret, and names both', () => {
    const faults = faultsOf(() => load({ NODE_ENV: 'production' }))
    expect(faults.some(fault => fault.startsWith('FW_BASE_URL'))).toBe(true)
    expect(faults.some(fault => fault.startsWith('BETTER_AUTH_SECRET'))).toBe(true)
  })

  it.each([
    'short',
    'x'.repeat(40),
    'please-change-me-please-change-me!!',
    'better-auth-secret-123456789012345',
    'secret-secret-secret-secret-secret',
  ])('refuses the secret %j without repeating it', secret => {
    const faults = faultsOf(() => load({ ...production, BETTER_AUTH_SECRET: secret }))
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatch(/^BETTER_AUTH_SECRET: (shorter|is an example)/)
  })

  it('refuses a weak previous secret', () => {
    expect(faultsOf(() => load({ ...production, BETTER_AUTH_SECRET_PREVIOUS: `${SECRET}x,short` }))).toHaveLength(1)
  })

  it('sends files directly from a bucket with direct=1 only', () => {
    const filesOf = (further: string) => {
      const FW_FILES = `s3://files/app?region=eu-central-1${further}`
      return load({ ...production, FW_FILES, FW_FILES_KEY: 'key', FW_FILES_SECRET: 'secret' }).files
    }
    expect(filesOf('&direct=1')).toMatchObject({ kind: 'bucket', isDirect: true })
    expect(filesOf('')).toMatchObject({ kind: 'bucket', isDirect: false })
    expect(faultsOf(() => filesOf('&direct=yes'))[0]).toMatch(/^FW_FILES: direct must be 1/)
  })

  it('hashes passwords strongly, in every environment but test', () => {
    const hashingOf = (environment: string) => load({ ...production, NODE_ENV: environment }).password.hashing
    expect(['production', 'development', 'test'].map(hashingOf)).toEqual(['strong', 'strong', 'quick'])
  })

  it('refuses AUTH_DISABLED without FW_ALLOW_AUTH_DISABLED', () => {
    expect(faultsOf(() => load({ ...production, AUTH_DISABLED: 'true' }))[0]).toMatch(/^AUTH_DISABLED/)
    expect(load({ ...production, AUTH_DISABLED: 'true', FW_ALLOW_AUTH_DISABLED: '1' }).authDisabled).toEqual({
      email: 'dev@local.test',
    })
  })

  it.each(['https://app.example.test/base', 'https://user@app.example.test', 'https://app.example.test/?x'])(
    'refuses the base URL %j, which is more than an origin',
    url => {
      expect(faultsOf(() => load({ ...production, FW_BASE_URL: url }))[0]).toMatch(/^FW_BASE_URL/)
    },
  )

  it('never offers the development account or the local identity', () => {
    const config = load({ ...production, AUTH_MODE: 'local' })
    expect(config.devAccount).toBe('off')
    expect(config.localIdentity.enabled).toBe(false)
  })
})

describe('loadConfig in development', () => {
  it('requires only the generated secret', () => {
    expect(load({ NODE_ENV: 'development' }, SECRET)).toMatchObject({
      baseUrl: 'http://localhost:3000',
      devAccount: 'offered',
      isHttps: false,
    })
  })

  it('derives the base URL from PORT', () => {
    expect(load({ NODE_ENV: 'development', PORT: '3456' }, SECRET).baseUrl).toBe('http://localhost:3456')
  })

  it('disables the development account with FW_DISABLE_AUTO_DEV_ACCOUNT', () => {
    expect(load({ NODE_ENV: 'development', FW_DISABLE_AUTO_DEV_ACCOUNT: '1' }, SECRET).devAccount).toBe('off')
  })

  it('does not offer the development account in tests', () => {
    expect(load({ NODE_ENV: 'test' }, SECRET).devAccount).toBe('off')
  })
})

describe('local data migration', () => {
  it('is offered to all accounts in development, and elsewhere only to FW_LOCAL_DATA_OWNER', () => {
    expect(load({ NODE_ENV: 'development' }, SECRET).localMigration).toEqual({ isOffered: true, owner: undefined })
    expect(load({ NODE_ENV: 'test' }, SECRET).localMigration.isOffered).toBe(false)
    expect(load(production).localMigration.isOffered).toBe(false)
    expect(load({ ...production, FW_LOCAL_DATA_OWNER: ' Ada@Example.test ' }).localMigration).toEqual({
      isOffered: true,
      owner: 'ada@example.test',
    })
    expect(faultsOf(() => load({ ...production, FW_LOCAL_DATA_OWNER: 'ada' })).join()).toContain('FW_LOCAL_DATA_OWNER')
  })

  it('is not offered to people that the application signs in itself', () => {
    const config = defineFwConfig({ getSession: () => Promise.resolve(null) })
    expect(loadConfig(readEnv({ NODE_ENV: 'development' }), config, SECRET).localMigration.isOffered).toBe(false)
  })
})

describe('FW_SHELL_CACHE', () => {
  it.each([
    [{}, 600],
    [{ FW_SHELL_CACHE: '30' }, 30],
    [{ FW_SHELL_CACHE: 'off' }, null],
  ])('reads %j as %j', (env, seconds) => {
    expect(load({ ...production, ...env }).shellCacheInSeconds).toBe(seconds)
  })

  it('refuses other values', () => {
    expect(faultsOf(() => load({ ...production, FW_SHELL_CACHE: 'garbage' }))).toHaveLength(1)
  })
})

describe('sign-in providers', () => {
  const google = { GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'client-secret' }
  const github = { GITHUB_CLIENT_ID: 'id', GITHUB_CLIENT_SECRET: 'client-secret' }
  const oidc = (...entries: { id: string; issuer?: string }[]) => ({
    FW_OIDC_PROVIDERS: JSON.stringify(
      entries.map(entry => ({ name: 'P', issuer: 'https://id.test', clientId: 'a', clientSecret: 'b', ...entry })),
    ),
  })

  it('lists Google, GitHub and then other providers, but only configured ones', () => {
    const all = load({ ...production, ...oidc({ id: 'corp' }), ...github, ...google }).signInProviders
    expect(all.map(({ id }) => id)).toEqual(['google', 'github', 'corp'])
    expect(load({ ...production, ...github }).signInProviders.map(({ id }) => id)).toEqual(['github'])
    expect(load(production).signInProviders).toEqual([])
  })

  it('shows Google’s account chooser and uses its single issuer', () => {
    expect(load({ ...production, ...google }).signInProviders[0]).toMatchObject({
      kind: 'openid',
      issuer: 'https://accounts.google.com',
      prompt: 'select_account',
    })
  })

  it.each([
    [undefined, 'https://github.com', 'https://api.github.com'],
    ['https://github.com/', 'https://github.com', 'https://api.github.com'],
    ['https://git.corp.test/', 'https://git.corp.test', 'https://git.corp.test/api/v3'],
  ])('resolves GitHub as %j to %j and its API to %j', (configured, url, apiUrl) => {
    const env = { ...production, ...github, ...(configured ? { FW_GITHUB_URL: configured } : {}) }
    expect(load(env).signInProviders[0]).toMatchObject({ url, apiUrl })
  })

  it.each(['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET', 'GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET'])(
    'requires %s when the other half is set, without repeating a value',
    missing => {
      const { [missing]: _, ...rest } = { ...google, ...github } as Record<string, string>
      const faults = faultsOf(() => load({ ...production, ...rest }))
      expect(faults).toHaveLength(1)
      expect(faults[0]).toMatch(new RegExp(`^${missing}: is missing`))
      expect(faults[0]).not.toContain('client-secret')
    },
  )

  it.each([
    'google',
    'github',
    'password',
    'credential',
    'dev',
    'magic-link',
    'passkey',
    'a2a',
    'cli',
    'mcp',
    'embed',
    'static-token',
  ])('refuses the reserved id %s', id => {
    expect(faultsOf(() => load({ ...production, ...oidc({ id }) }))[0]).toMatch(/^FW_OIDC_PROVIDERS: .* reserved/)
  })

  it('refuses a duplicate id', () => {
    const faults = faultsOf(() => load({ ...production, ...oidc({ id: 'a' }, { id: 'b' }, { id: 'a' }) }))
    expect(faults).toEqual(['FW_OIDC_PROVIDERS: the id a is there twice'])
  })

  it('requires https in production, except on this machine', () => {
    const issuer = 'http://id.test'
    expect(faultsOf(() => load({ ...production, ...oidc({ id: 'corp', issuer }) }))[0]).toMatch(/https/)
    expect(faultsOf(() => load({ ...production, ...github, FW_GITHUB_URL: issuer }))[0]).toMatch(/^FW_GITHUB_URL/)
    expect(load({ ...production, ...oidc({ id: 'corp', issuer: 'http://127.0.0.1:9' }) }).signInProviders).toHaveLength(
      1,
    )
    expect(load({ ...oidc({ id: 'corp', issuer }), NODE_ENV: 'development' }, SECRET).signInProviders).toHaveLength(1)
  })
})
