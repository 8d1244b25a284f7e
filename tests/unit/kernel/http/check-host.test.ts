import { describe, expect, it } from 'vitest'
import { loadConfig } from '#fairway/server/kernel/config/config'
import { readEnv } from '#fairway/server/kernel/config/env'
import { defineFwConfig } from '#fairway/server/kernel/config/fw-config'
import { checkHost } from '#fairway/server/kernel/http/check-origin'
import { SECRET } from '../../../support/secrets'

const PUBLIC = { NODE_ENV: 'production', FW_BASE_URL: 'https://app.example.test' }
const LOCAL = { NODE_ENV: 'production', FW_BASE_URL: 'http://localhost:3000' }
const DEVELOPMENT = { NODE_ENV: 'development', FW_BASE_URL: 'https://dev.example.test' }
const OPEN = { ...PUBLIC, AUTH_DISABLED: 'true', FW_ALLOW_AUTH_DISABLED: '1' }

function isRefused(env: Record<string, string>, host: string | undefined): boolean {
  const config = loadConfig(readEnv({ BETTER_AUTH_SECRET: SECRET, ...env }), defineFwConfig({}))
  try {
    checkHost({ headers: { host } }, config)
    return false
  } catch (error) {
    expect(error).toMatchObject({ code: 'misdirected-request', status: 421 })
    return true
  }
}

const foreign = [
  'evil.example',
  'evil.example:3000',
  'localhost.evil.example',
  '127.0.0.1.nip.io',
  '10.0.0.1',
  '0.0.0.0',
  '[::]',
  'localhost@evil.example',
  'evil.example@localhost',
  'localhost/../evil.example',
  'localhost ',
  '',
  undefined,
]
const own = ['localhost', 'LOCALHOST:3000', 'localhost:1', '127.0.0.1:3000', '127.9.9.9', '[::1]', '[::1]:3000']

describe('checkHost', () => {
  it.each([
    ['on this machine', LOCAL],
    ['in development', DEVELOPMENT],
    ['without sign-in', OPEN],
  ])('accepts only our own host names %s', (_where, env) => {
    for (const host of foreign) expect([host, isRefused(env, host)]).toEqual([host, true])
    for (const host of [...own, new URL(env.FW_BASE_URL).host])
      expect([host, isRefused(env, host)]).toEqual([host, false])
  })

  it('accepts a host name in FW_ALLOWED_HOSTS at any port', () => {
    const env = { ...DEVELOPMENT, FW_ALLOWED_HOSTS: 'Preview.example, 192.168.1.20,[2001:db8::1]' }
    for (const host of ['preview.example', 'PREVIEW.example:8080', '192.168.1.20:3000', '[2001:DB8:0::1]:3000'])
      expect([host, isRefused(env, host)]).toEqual([host, false])
    for (const host of ['x.preview.example', 'preview.example.evil.test', 'evil.example'])
      expect([host, isRefused(env, host)]).toEqual([host, true])
  })

  it('accepts any host name at a public address', () => {
    for (const host of ['evil.example', 'app.internal:8080', undefined]) expect(isRefused(PUBLIC, host)).toBe(false)
  })

  it.each(['*', '*.example', 'https://preview.example', 'preview.example:3000', 'a b', '[::zz]'])(
    'refuses the entry %s in FW_ALLOWED_HOSTS',
    async name => {
      const start = async () => readEnv({ FW_ALLOWED_HOSTS: name })
      await expect(start()).rejects.toThrow(/FW_ALLOWED_HOSTS: each entry must be a host name without a port/)
    },
  )
})
