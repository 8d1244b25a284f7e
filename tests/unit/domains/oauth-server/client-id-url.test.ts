import { describe, expect, it } from 'vitest'
import { clientIdUrlFault, isUrlLike } from '#fairway/server/domains/oauth-server/clients/document-clients'

describe('isUrlLike', () => {
  it.each([
    'https://a.example/x',
    'http://a.example/x',
    'HTTPS://a.example/x',
    'https:a',
    'ftp://a',
    'urn:x:y',
    'javascript:alert(1)',
    'a:b',
    ' https://a.example/x',
    '\thttps://a.example',
  ])('returns true for %j', id => expect(isUrlLike(id)).toBe(true))

  it.each(['0199a1b2-0000-7000-8000-000000000000', 'client', '//a.example/x', '12:34', ''])(
    'returns false for %j',
    id => expect(isUrlLike(id)).toBe(false),
  )
})

describe('clientIdUrlFault', () => {
  it.each([
    'https://a.example.com/client.json',
    'https://a.example.com/x/',
    'https://a.example.com/x?y=z',
    'https://a.example.com:8443/x',
  ])('accepts %s', id => expect(clientIdUrlFault(id)).toBeUndefined())

  it.each([
    'http://a.example.com/x',
    'HTTPS://a.example.com/x',
    'https:a.example.com/x',
    'https:/a.example.com/x',

    'ftp://a.example.com/x',
    'urn:x:y',
    'https://',
    'https:///x',
    'https://a.example.com',
    'https://a.example.com/',
    'https://a.example.com/?x',
    'https://a.example.com/x#',
    'https://a.example.com/x#y',
    'https://u@a.example.com/x',
    'https://u:p@a.example.com/x',
    'https://@a.example.com/x',
    'https://a.example.com/./x',
    'https://a.example.com/../x',
    'https://a.example.com/y/../x',
    'https://a.example.com/%2e%2e/x',
    'https://a.example.com/%2E/x',
    'https://a.example.com\\x',

    'https://a.example.com:443/x',
    'https://a.example.com:08443/x',
    'https://a.example.com:/x',
    'https://a.example.com:25/x',
    'https://a.example.com:65536/x',
    'https://127.0.0.1:8443/x',
    'https://localhost:8443/x',
    'https://[::1]:8443/x',
    'https://u@a.example.com:8443/x',
    'https://A.example.com/x',
    'https://a.example.com/x y',

    'https://a.example.com./x',
    'https://localhost/x',
    'https://localhost./x',
    'https://LOCALHOST/x',
    'https://a.localhost/x',
    'https://printer/x',
    'https://printer.local/x',
    'https://a.internal/x',
    'https://metadata.google.internal/x',

    'https://1.0.0.10.in-addr.arpa/x',
    'https://127.0.0.1/x',
    'https://127.1/x',
    'https://2130706433/x',
    'https://0x7f.1/x',
    'https://0x7f000001/x',
    'https://0177.0.0.1/x',
    'https://10.0.0.1/x',
    'https://8.8.8.8/x',
    'https://[::1]/x',
    'https://[::ffff:127.0.0.1]/x',
    'https://[2606:4700::1111]/x',
    'https://169.254.169.254/x',
    'https://１２７.0.0.1/x',
    'https://a.example.com/\nx',
    'https://hóst.example.com/x',
    `https://a.example.com/${'x'.repeat(2048)}`,
  ])('rejects %j', id => expect(clientIdUrlFault(id)).toEqual(expect.any(String)))
})
