import { describe, expect, it } from 'vitest'
import { readEnv } from '#fairway/server/kernel/config/env'
import { defineFwConfig, type FwConfigInput } from '#fairway/server/kernel/config/fw-config'
import { identityConfig } from '#fairway/server/kernel/config/identity-config'
import { loadConfig } from '#fairway/server/kernel/config/config'
import { A2A_SECRET, SECRET } from '../../../support/secrets'

const baseUrl = 'https://mail.example.com'

function read(
  env: Record<string, string>,
  declared: FwConfigInput = {},
  environment: 'production' | 'development' = 'production',
) {
  return identityConfig({ env: readEnv(env), fwConfig: defineFwConfig(declared), baseUrl, environment })
}

const entry = (more: Record<string, unknown> = {}) => ({
  appId: 'docs',
  clientId: 'docs',
  origin: 'https://docs.example.com',
  callbackPath: '/_fw/identity/callback',
  capabilities: ['identity-sso'],
  ...more,
})
const registry = (...entries: unknown[]) => ({
  A2A_SECRET,
  IDENTITY_SSO_APP_REGISTRY_JSON: JSON.stringify(entries),
})

describe('identityConfig without settings', () => {
  it('configures no hub, client or peers and logs no notices', () => {
    const { identity, notices } = read({})
    expect(identity).toMatchObject({ client: undefined, hub: undefined, shared: undefined, trustedProviders: [] })
    expect(identity.peers.size).toBe(0)
    expect(notices).toEqual([])
  })

  it.each([
    [{}, {}, 'fairway'],
    [{}, { name: 'My Mail 2' }, 'my-mail-2'],
    [{}, { name: '日本' }, 'app'],
    [{ FW_APP_ID: 'mail' }, { name: 'Other' }, 'mail'],
  ])('derives the app id from %j and %j: %s', (env, declared, id) => {
    expect(read(env, declared).identity.appId).toBe(id)
  })
})

describe('identityConfig as client of a hub', () => {
  const on = { A2A_SECRET, FW_IDENTITY_HUB_URL: 'https://hub.example.com', FW_APP_ID: 'mail' }

  it('returns the hub URL, the client id and the callback URL', () => {
    expect(read(on).identity.client).toEqual({
      url: 'https://hub.example.com',
      appId: 'mail',
      clientId: 'mail',
      callbackUrl: 'https://mail.example.com/_fw/identity/callback',
      isDesktopOnly: false,
    })
    expect(read({ ...on, FW_SSO_CLIENT_ID: 'client-7' }).identity.client).toMatchObject({ clientId: 'client-7' })
  })

  it.each([
    'hub.example.com',
    'http://hub.example.com',
    'https://hub.example.com/path',
    'https://hub.example.com/?a=b',
    'https://user:pass@hub.example.com',
    'https://hub.example.com/#x',
    'ftp://hub.example.com',
    'javascript:alert(1)',
    '   x',
  ])('is off with a notice in the log when the hub address is %j', url => {
    const { identity, notices } = read({ ...on, FW_IDENTITY_HUB_URL: url })
    expect(identity.client).toBeUndefined()
    expect(notices).toEqual(['FW_IDENTITY_HUB_URL: must be the origin of the hub, with https; it is ignored'])
  })

  it('accepts a trailing slash as the same origin, and http on this machine', () => {
    expect(read({ ...on, FW_IDENTITY_HUB_URL: 'https://hub.example.com/' }).identity.client?.url).toBe(
      'https://hub.example.com',
    )
    expect(read({ ...on, FW_IDENTITY_HUB_URL: 'http://127.0.0.2:4000' }).identity.client?.url).toBe(
      'http://127.0.0.2:4000',
    )
  })

  it('is off with a notice without A2A_SECRET', () => {
    const { identity, notices } = read({ FW_IDENTITY_HUB_URL: 'https://hub.example.com' })
    expect(identity.client).toBeUndefined()
    expect(notices).toEqual(['A2A_SECRET: missing, so there is no identity hub'])
  })

  it('is for the desktop only when the product declares the hub and no variable does', () => {
    const declared = { identity: { hubUrl: 'https://hub.product.example' } }
    expect(read({ A2A_SECRET }, declared).identity.client).toMatchObject({
      url: 'https://hub.product.example',
      isDesktopOnly: true,
    })
    expect(read(on, declared).identity.client).toMatchObject({ url: 'https://hub.example.com', isDesktopOnly: false })
  })

  it('is off when the hub is the application itself', () => {
    const { identity } = read({ ...on, FW_IDENTITY_HUB_URL: baseUrl })
    expect(identity.client).toBeUndefined()
    expect(identity.hub).toMatchObject({ apps: [], acceptsLoopback: false })
  })
})

describe('identityConfig as hub', () => {
  it('is on when applications are registered and A2A_SECRET is set', () => {
    expect(read(registry(entry())).identity.hub?.apps.map(({ appId }) => appId)).toEqual(['docs'])
    const declared = { identity: { apps: [entry({ appId: 'mail' })] } }
    expect(read({ A2A_SECRET }, declared).identity.hub?.apps).toMatchObject([{ appId: 'mail', isCanonical: true }])
  })

  it('is off with a notice without A2A_SECRET', () => {
    const { identity, notices } = read({ ...registry(entry()), A2A_SECRET: '' })
    expect(identity.hub).toBeUndefined()
    expect(notices).toContain('A2A_SECRET: missing, so there is no identity hub')
  })

  it('accepts unregistered applications on this machine in development only', () => {
    const inDevelopment = read({ A2A_SECRET }, {}, 'development').identity.hub
    expect(inDevelopment).toMatchObject({ apps: [], acceptsLoopback: true })
    expect(read(registry(entry())).identity.hub).toMatchObject({ acceptsLoopback: false })
  })
})

describe('FW_PEERS', () => {
  it('maps names to origins', () => {
    const { identity } = read({ FW_PEERS: '{"mail":"https://mail.example.com/","local":"http://127.0.0.1:4000"}' })
    expect([...identity.peers]).toEqual([
      ['mail', 'https://mail.example.com'],
      ['local', 'http://127.0.0.1:4000'],
    ])
  })

  it('ignores each invalid entry with a notice', () => {
    const { identity, notices } = read({
      FW_PEERS:
        '{"a":"http://a.example","B":"https://b.example","c":7,"d":"https://d.example/x","e":"https://e.example"}',
    })
    expect([...identity.peers.keys()]).toEqual(['e'])
    expect(notices).toHaveLength(4)
  })

  it.each(['[]', '"a"', '{', '7'])('is ignored with a notice when it is %s', json => {
    expect(read({ FW_PEERS: json }).notices).toEqual([
      'FW_PEERS: must be a JSON object of origins by name; it is ignored',
    ])
  })
})

describe('A2A_SECRET', () => {
  const base = { FW_BASE_URL: baseUrl, BETTER_AUTH_SECRET: SECRET }
  const load = (env: Record<string, string>) => loadConfig(readEnv({ ...base, ...env }), defineFwConfig())

  it.each<Record<string, string>>([
    { A2A_SECRET: 'short' },
    { A2A_SECRET: 'x'.repeat(40) },
    { A2A_SECRET, A2A_SECRET_PREVIOUS: 'short' },
  ])('prevents the application from starting when it is weak', env => {
    expect(() => load(env)).toThrow(/A2A_SECRET/)
  })

  it('does not appear in error messages', () => {
    expect(() => load({ A2A_SECRET: 'short-one-9' })).not.toThrow(/short-one-9/)
  })
})
