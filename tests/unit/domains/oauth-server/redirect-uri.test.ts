import { describe, expect, it } from 'vitest'
import {
  applicationTypeOf,
  matchesRedirect,
  redirectKind,
  redirectUriFault,
} from '#fairway/server/domains/oauth-server/clients/redirect-uri'

describe('redirectUriFault', () => {
  it.each([
    ['https://host.example.com/callback', 'https'],
    ['https://host.example.com', 'https'],
    ['https://host.example.com:8443/a/b?c=d&e=%20', 'https'],
    ['https://my_host-2.example.com./callback', 'https'],
    ['https://xn--hst-sna.example/callback', 'https'],
    ['https://192.0.2.7/callback', 'https'],
    ['https://[2001:db8::7]/callback', 'https'],
    ['https://host.example.com/*/callback', 'https'],
    ['http://localhost/callback', 'loopback'],
    ['http://localhost:3000/callback?x=1', 'loopback'],
    ['http://127.0.0.1', 'loopback'],
    ['http://127.0.0.1:65535/', 'loopback'],
    ['http://[::1]:51234/callback', 'loopback'],
    ['cursor://anysphere.cursor-retrieval/oauth/callback', 'private-use'],
    ['com.example.app:/callback', 'private-use'],
    ['vscode://vscode.github-authentication/did-authenticate', 'private-use'],
  ])('accepts %s', (uri, kind) => {
    expect(redirectUriFault(uri)).toBeUndefined()
    expect(redirectKind(uri)).toBe(kind)
  })

  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://a.example/1',
    'about:blank',
    'ftp://a.example/',
    'mailto:a@example.com',
    'ws://a.example/',
    'wss://a.example/',
    'intent://x',
    'view-source:https://a.example/',
    'filesystem:https://a.example/',
    'urn:ietf:wg:oauth:2.0:oob',
    'tel:1',
    '',

    'http://host.example.com/callback',
    'http://10.0.0.1/',
    'http://0.0.0.0/',
    'http://127.0.0.2/',
    'http://127.1/',
    'http://localhost.evil.example/',
    'http://localhost@evil.example/',
    'http://127.0.0.1.nip.io/',
    'http://[::]/',
    'http://localhost:0/',
    'http://localhost:65536/',
    'http://localhost:/',
    'http://LOCALHOST/',
    'http:localhost',
    'https://host.example.com/#',
    'https://host.example.com/a#b',
    'cursor://x#y',
    'http://localhost/#',
    'https://user@host.example.com/',
    'https://user:pass@host.example.com/',
    'https://@host.example.com/',
    'https:host.example.com',
    'https:///a',
    '//host.example.com/a',
    '/callback',
    'callback',
    'host.example.com',

    ' https://host.example.com/',
    'https://host.example.com/\n',
    'https://host.example.com/a b',
    'https://höst.example/',
    'https://host.example.com\\@evil.example/',
    'https://*.example/cb',
    'https://*/cb',
    'https://host.*.example.com/cb',
    'https://%2a.example.com/cb',
    "https://it's.example.com/cb",
    'https://a!b.example.com/cb',
    'https://host..example.com/cb',
    'https://.example.com/cb',
    `https://${'a'.repeat(64)}.example.com/cb`,
    `https://${'a.'.repeat(127)}example.com/cb`,
    'https://host.example.com:0/cb',
    'https://host.example.com:6000/cb',
    'http://localhost:22/cb',
    'https://host.example.com/<script>',
    'https://host.example.com/"x',
    `https://host.example.com/${'a'.repeat(2048)}`,
  ])('rejects %s', uri => expect(redirectUriFault(uri)).toEqual(expect.any(String)))
})

describe('matchesRedirect', () => {
  it.each([
    ['the same', 'https://a.example/cb', 'https://a.example/cb'],
    ['the same with a query', 'https://a.example/cb?x=1', 'https://a.example/cb?x=1'],
    ['another port on loopback', 'http://127.0.0.1:3000/cb', 'http://127.0.0.1:51234/cb'],
    ['a port where none was registered', 'http://localhost/cb', 'http://localhost:51234/cb'],
    ['no port where one was registered', 'http://localhost:3000/cb', 'http://localhost/cb'],
    ['another port on IPv6', 'http://[::1]/cb', 'http://[::1]:51234/cb'],
    ['another port without a path', 'http://127.0.0.1', 'http://127.0.0.1:8080'],
    ['a private-use address', 'cursor://x/cb', 'cursor://x/cb'],
  ])('accepts %s', (_what, registered, asked) => {
    expect(matchesRedirect(registered, asked, 'native')).toBe(true)
  })

  it.each([
    ['a slash more', 'https://a.example/cb', 'https://a.example/cb/'],
    ['another case', 'https://a.example/cb', 'https://a.example/CB'],
    ['an upper-case host', 'https://a.example/cb', 'https://A.example/cb'],
    ['a query more', 'https://a.example/cb', 'https://a.example/cb?x=1'],
    ['an encoded letter', 'https://a.example/cb', 'https://a.example/%63b'],
    ['a dot segment', 'https://a.example/cb', 'https://a.example/x/../cb'],
    ['a path below', 'https://a.example/cb', 'https://a.example/cb/evil'],
    ['another port over https', 'https://a.example/cb', 'https://a.example:8443/cb'],
    ['the default port written out', 'https://a.example/cb', 'https://a.example:443/cb'],
    ['another port over https on loopback', 'https://localhost/cb', 'https://localhost:8443/cb'],
    ['another loopback host', 'http://localhost/cb', 'http://127.0.0.1/cb'],
    ['another loopback path', 'http://localhost/cb', 'http://localhost:3000/other'],
    ['a host that begins alike', 'http://localhost/cb', 'http://localhost.evil.example/cb'],
    ['a user name', 'http://localhost/cb', 'http://localhost:80@evil.example/cb'],
    ['port 0', 'http://localhost/cb', 'http://localhost:0/cb'],
    ['port 65536', 'http://localhost/cb', 'http://localhost:65536/cb'],
    ['a port that is no number', 'http://localhost/cb', 'http://localhost:8a/cb'],
    ['a fragment', 'http://localhost/cb', 'http://localhost:3000/cb#x'],
    ['another private-use path', 'cursor://x/cb', 'cursor://x/cb2'],
  ])('rejects an authorization request with %s', (_what, registered, asked) => {
    expect(matchesRedirect(registered, asked, 'native')).toBe(false)
  })

  it('ignores the loopback port for native apps only', () => {
    expect(matchesRedirect('http://localhost:3000/cb', 'http://localhost:3001/cb', 'web')).toBe(false)
    expect(matchesRedirect('http://localhost:3000/cb', 'http://localhost:3000/cb', 'web')).toBe(true)
  })
})

describe('applicationTypeOf', () => {
  it.each([
    [['https://a.example/cb'], 'web'],
    [['https://a.example/cb', 'http://localhost/cb'], 'native'],
    [['cursor://x'], 'native'],
  ] as const)('returns for %j the type %s', (uris, type) => expect(applicationTypeOf(uris)).toBe(type))
})
