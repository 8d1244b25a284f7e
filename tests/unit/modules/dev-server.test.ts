import { describe, expect, it } from 'vitest'
import {
  renewEnvironment,
  setUntilRestart,
  type Listening,
  listeningSettings,
} from '#fairway/modules/dev-server/environment'

const listening = (address: string, urls: Listening['urls'] = [], https: unknown = false): Listening => ({
  address: { address, port: 3001 },
  https,
  urls,
})
const network = (host: string) => ({ url: `http://${host}:3001/`, type: 'network' })

describe('listeningSettings', () => {
  it.each(['127.0.0.1', '::1', '127.0.0.2'])(
    'derives the settings from the port when the server listens on %s',
    address => {
      const settings = { PORT: '3001', FW_BASE_URL: 'http://localhost:3001' }
      expect(listeningSettings(listening(address), { FW_ALLOWED_HOSTS: 'preview.example' })).toEqual(settings)
    },
  )

  it('keeps a given base URL and detects https', () => {
    expect(listeningSettings(listening('::1'), { FW_BASE_URL: 'https://a.example' }).FW_BASE_URL).toBe(
      'https://a.example',
    )
    expect(listeningSettings(listening('::1', [], { key: '' }), {}).FW_BASE_URL).toBe('https://localhost:3001')
  })

  it.each([
    ['0.0.0.0', [network('192.0.2.1')], undefined, '192.0.2.1'],
    ['::', [{ url: 'http://localhost:3001/', type: 'local' }, network('192.0.2.1')], undefined, '192.0.2.1'],
    ['192.0.2.1', [network('a.example'), network('192.0.2.1')], 'b.example', 'b.example,a.example,192.0.2.1'],
    ['2001:db8::1', [network('[2001:db8::1]')], undefined, '[2001:db8::1]'],
    ['127.0.0.1', [{ url: 'https://x.tunnel.example', type: 'tunnel' }], undefined, 'x.tunnel.example'],
  ])(
    'for a server that others reach at %s disables the development account and allows its names',
    (address, urls, given, names) => {
      const env = { FW_DISABLE_AUTO_DEV_ACCOUNT: '0', FW_ALLOWED_HOSTS: given }
      expect(listeningSettings(listening(address, urls), env)).toEqual({
        PORT: '3001',
        FW_BASE_URL: 'http://localhost:3001',
        FW_DISABLE_AUTO_DEV_ACCOUNT: '1',
        FW_ALLOWED_HOSTS: names,
      })
    },
  )
})

describe('renewEnvironment', () => {
  it('loads .env literally and keeps variables that were given', () => {
    const env: NodeJS.Dict<string> = { GIVEN: 'by the shell' }
    renewEnvironment(env, `GIVEN=by the file\nSECRET='a$b\${c}'\n`, [])
    expect(env).toMatchObject({ GIVEN: 'by the shell', SECRET: 'a$b${c}' })
  })

  it('discards values that Nuxt read from the file', () => {
    const env: NodeJS.Dict<string> = { SECRET: 'a', GONE: 'x' }
    renewEnvironment(env, `SECRET='a$b'`, ['SECRET', 'GONE'])
    expect(env.SECRET).toBe('a$b')
    expect(env).not.toHaveProperty('GONE')
  })

  it('starts again with the given variables and the current file on a restart, also in another process', () => {
    const env: NodeJS.Dict<string> = { FW_ALLOWED_HOSTS: 'given.example' }
    renewEnvironment(env, 'AUTH_DISABLED=true\nFW_BASE_URL=http://localhost:1', [])
    setUntilRestart(env, { PORT: '3001', FW_BASE_URL: 'http://localhost:1', FW_ALLOWED_HOSTS: 'a.example,b.example' })
    setUntilRestart(env, { FW_ALLOWED_HOSTS: 'c.example' })
    expect(env).toMatchObject({ PORT: '3001', FW_ALLOWED_HOSTS: 'c.example', AUTH_DISABLED: 'true' })
    const inherited = { ...env }
    renewEnvironment(inherited, 'AUTH_DISABLED=false', [])
    expect(inherited).toMatchObject({ AUTH_DISABLED: 'false', FW_ALLOWED_HOSTS: 'given.example' })
    expect(inherited).not.toHaveProperty('PORT')
    expect(inherited).not.toHaveProperty('FW_BASE_URL')
  })
})
