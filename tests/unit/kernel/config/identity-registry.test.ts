import { describe, expect, it } from 'vitest'
import { readRegistry } from '#fairway/server/kernel/config/identity-registry'
import { A2A_SECRET } from '../../../support/secrets'

const entry = {
  appId: 'mail',
  clientId: 'mail',
  origin: 'https://mail.example.com',
  callbackPath: '/_fw/identity/callback',
  capabilities: ['identity-sso'],
}
const canonical = { ...entry, appId: 'docs', clientId: 'docs', origin: 'https://docs.example.com' }

function read(json: string | undefined, declared = [canonical]) {
  const notices: string[] = []
  return { ...readRegistry(declared, json, notices), notices }
}
const readEntries = (...entries: unknown[]) => read(JSON.stringify(entries))

describe('readRegistry', () => {
  it('returns the declared applications and each valid entry', () => {
    const { apps, notices } = readEntries(entry)
    expect(apps.map(({ appId, isCanonical }) => [appId, isCanonical])).toEqual([
      ['docs', true],
      ['mail', false],
    ])
    expect(notices).toEqual([])
    expect(read(undefined).apps).toHaveLength(1)
  })

  it.each([
    ['not JSON', '[{'],
    ['an object', JSON.stringify(entry)],
    ['a text', '"mail"'],
    ['null', 'null'],
    ['a number', '1'],
    ['empty text', ' '],
  ])('ignores %s as a whole and keeps the declared applications', (_, json) => {
    const { apps, notices } = read(json)
    expect(apps.map(({ appId }) => appId)).toEqual(['docs'])
    expect(notices).toEqual(['IDENTITY_SSO_APP_REGISTRY_JSON: must be a JSON array; it is ignored'])
  })

  it.each<[string, unknown, RegExp]>([
    ['null', null, /entry 1 is ignored/],
    ['a text', 'mail', /entry 1 is ignored/],
    ['a list', [entry], /entry 1 is ignored/],
    ['an upper-case id', { ...entry, appId: 'Mail' }, /entry 1 is ignored: appId/],
    ['an id that begins with a digit', { ...entry, appId: '1mail' }, /appId/],
    ['an id of 64 characters', { ...entry, appId: 'a'.repeat(64) }, /appId/],
    ['no id', { ...entry, appId: undefined }, /appId/],
    ['an empty client id', { ...entry, clientId: '' }, /\(mail\) is ignored: clientId/],
    ['a client id with a space', { ...entry, clientId: 'my mail' }, /clientId/],
    ['a client id of 129 characters', { ...entry, clientId: 'a'.repeat(129) }, /clientId/],
    ['plain http', { ...entry, origin: 'http://mail.example.com' }, /origin/],
    ['a slash behind the origin', { ...entry, origin: 'https://mail.example.com/' }, /origin/],
    ['a path in the origin', { ...entry, origin: 'https://mail.example.com/app' }, /origin/],
    ['a user name in the origin', { ...entry, origin: 'https://a@mail.example.com' }, /origin/],
    ['a default port in the origin', { ...entry, origin: 'https://mail.example.com:443' }, /origin/],
    ['an upper-case origin', { ...entry, origin: 'https://Mail.example.com' }, /origin/],
    ['a wildcard', { ...entry, origin: 'https://*.example.com/' }, /origin/],
    ['another protocol', { ...entry, origin: 'ftp://mail.example.com' }, /origin/],
    ['a list of origins', { ...entry, origin: ['https://mail.example.com'] }, /origin/],
    ['a callback that is no path', { ...entry, callbackPath: 'callback' }, /callbackPath/],
    ['a callback on another host', { ...entry, callbackPath: '//evil.example' }, /callbackPath/],
    ['a callback with a query', { ...entry, callbackPath: '/callback?a=1' }, /callbackPath/],
    ['a callback with a fragment', { ...entry, callbackPath: '/callback#a' }, /callbackPath/],
    ['a callback with dots', { ...entry, callbackPath: '/a/../callback' }, /callbackPath/],
    ['an escaped callback', { ...entry, callbackPath: '/a%2fb' }, /callbackPath/],
    ['a backslash', { ...entry, callbackPath: '/\\evil' }, /callbackPath/],
    ['no capability', { ...entry, capabilities: [] }, /\(mail\) is ignored: capabilities: must contain identity-sso/],
    ['another capability', { ...entry, capabilities: ['a2a'] }, /capabilities/],
    ['a capability that is no list', { ...entry, capabilities: 'identity-sso' }, /capabilities/],
    ['a member that there is not', { ...entry, roles: ['admin'] }, /roles/],
  ])('ignores only an entry with %s', (_, bad, notice) => {
    const { apps, notices } = readEntries(bad, { ...entry, appId: 'good' })
    expect(apps.map(({ appId }) => appId)).toEqual(['docs', 'good'])
    expect(notices).toEqual([expect.stringMatching(notice)])
  })

  it('refuses an entry that redefines a declared application', () => {
    const { apps, ignored, notices } = readEntries({ ...canonical, origin: 'https://evil.example' })
    expect(apps.map(({ origin }) => origin)).toEqual(['https://docs.example.com'])
    expect(notices).toEqual([
      expect.stringMatching(/entry 1 \(docs\) is ignored: .*declared by the application itself/),
    ])
    expect([...ignored.keys()]).toEqual(['docs'])
  })

  it('repeats only a well-formed id of an entry in notices', () => {
    const secret = A2A_SECRET
    const { notices } = readEntries({
      ...entry,
      appId: secret,
      clientId: ` ${secret}`,
      origin: secret,
      callbackPath: secret,
    })
    expect(notices.join()).not.toContain(secret)
  })

  it('accepts one application at several origins', () => {
    expect(readEntries(entry, { ...entry, origin: 'https://staging.example.com' }).apps).toHaveLength(3)
  })
})
