import { describe, expect, it } from 'vitest'
import { parseClientMetadata } from '#fairway/server/domains/oauth-server/clients/client-metadata'

const REDIRECT = 'https://host.example.com/callback'
/** A valid registration of a client that signs. */
const SIGNING = {
  redirect_uris: [REDIRECT],
  token_endpoint_auth_method: 'private_key_jwt',
  jwks_uri: 'https://host.example.com/jwks.json',
}
const parse = (metadata: unknown) => parseClientMetadata(metadata)
const refusalOf = (metadata: unknown): unknown => {
  try {
    return parse(metadata)
  } catch (error) {
    return error
  }
}

describe('client metadata', () => {
  it.each<[string, unknown]>([
    ['an empty text', ''],
    ['an empty list', []],
    ['null', null],
  ])('counts %s in an optional member as absent', (_what, nothing) => {
    const members =
      'client_name client_uri application_type grant_types response_types scope token_endpoint_auth_method token_endpoint_auth_signing_alg jwks jwks_uri contacts logo_uri'
    const metadata = Object.fromEntries(members.split(' ').map(name => [name, nothing]))
    expect(parse({ redirect_uris: [REDIRECT], ...metadata })).toEqual(parse({ redirect_uris: [REDIRECT] }))
  })

  it.each<[string, unknown]>([
    ['a fragment', [`${REDIRECT}#x`]],
    ['javascript:', ['javascript:alert(1)']],
    ['data:', ['data:text/html,x']],
    ['file:', ['file:///etc/passwd']],
    ['http on a public host', ['http://host.example.com/callback']],
    ['a user name', ['https://u:p@host.example.com/callback']],
    ['a port that browsers block', ['https://host.example.com:6000/callback']],
    ['no scheme', ['/callback']],
    ['an empty address', ['']],
    ['an overlong address', [`${REDIRECT}?${'x'.repeat(2048)}`]],
    ['a number', [7]],
    ['a bad one among good ones', [REDIRECT, 'vbscript:x']],
    ['21 addresses', Array.from({ length: 21 }, (_, n) => `https://a.example/${n}`)],
    ['a text instead of a list', REDIRECT],
  ])('refuses redirect_uris with %s as invalid_redirect_uri', (_what, addresses) => {
    expect(refusalOf({ redirect_uris: addresses })).toMatchObject({ error: 'invalid_redirect_uri', status: 400 })
  })

  it('refuses an app address of a web application as invalid_redirect_uri', () => {
    const metadata = { redirect_uris: ['cursor://x'], application_type: 'web' }
    expect(refusalOf(metadata)).toMatchObject({ error: 'invalid_redirect_uri' })
  })

  it.each<[string, unknown]>([
    ['without redirect_uris', {}],
    ['with an empty list of redirect_uris', { redirect_uris: [] }],
    ['with null as redirect_uris', { redirect_uris: null }],
    ['that is a list', []],
    ['with an unknown application type', { redirect_uris: [REDIRECT], application_type: 'service' }],
    ['without the code grant', { redirect_uris: [REDIRECT], grant_types: ['client_credentials'] }],
    ['without the code response', { redirect_uris: [REDIRECT], response_types: ['token'] }],
    ['with an authentication method that is no text', { redirect_uris: [REDIRECT], token_endpoint_auth_method: 7 }],
    ['with a name that is no text', { redirect_uris: [REDIRECT], client_name: {} }],
    ['with an overlong scope', { redirect_uris: [REDIRECT], scope: 'x '.repeat(600) }],
    ['with keys that are no set', { redirect_uris: [REDIRECT], jwks: 7 }],
    ['with keys at an http address', { ...SIGNING, jwks_uri: 'http://host.example.com/jwks.json' }],
    ['with keys here and elsewhere', { ...SIGNING, jwks: { keys: [{ kty: 'RSA' }] } }],
    [
      'with 21 keys',
      { ...SIGNING, jwks_uri: undefined, jwks: { keys: Array.from({ length: 21 }, () => ({ kty: 'RSA' })) } },
    ],
    ['with an algorithm that needs a shared secret', { ...SIGNING, token_endpoint_auth_signing_alg: 'HS256' }],
    ['with a list of nothing', { redirect_uris: [REDIRECT], grant_types: [''] }],
  ])('refuses metadata %s as invalid_client_metadata', (_what, metadata) => {
    expect(refusalOf(metadata)).toMatchObject({ error: 'invalid_client_metadata', status: 400 })
  })
})
