import { describe, expect, it } from 'vitest'
import { toConnectedPerson } from '#fairway/server/domains/oauth-client/connected-person'
import { refusalOf } from '../../../support/error-code'

const GOOGLE = 'https://accounts.google.com'
const ENTRA = 'https://login.microsoftonline.com/0b9b7cb1-6f5a-4b37-9d1c-2f9a7a4f3c11/v2.0'
const OKTA = 'https://larch.okta.com'
const email = 'ada@example.com'

describe('the person whom a provider names', () => {
  it.each([
    ['Okta vouches', OKTA, { email, email_verified: true }, true],
    ['Okta denies', OKTA, { email, email_verified: false }, false],
    ['Okta denies as a text', OKTA, { email, email_verified: 'false' }, false],
    ['Okta says nothing', OKTA, { email }, null],
    ['Okta cannot use the claim of Entra ID', OKTA, { email, xms_edov: true }, null],
    ['Entra ID vouches for the domain', ENTRA, { email, xms_edov: true }, true],
    ['Entra ID vouches by a number', ENTRA, { email, xms_edov: '1' }, true],
    ['Entra ID says nothing', ENTRA, { email }, null],
    ['an admin of Entra ID cannot vouch', ENTRA, { email, email_verified: true }, null],
    ['Entra ID has a name of sign-in only', ENTRA, { preferred_username: email }, null],
    ['Google vouches for its workspace', GOOGLE, { email, email_verified: true, hd: 'example.com' }, true],
  ] as const)('%s', (_name, issuer, claims, isVerified) => {
    expect(toConnectedPerson({ issuer }, { sub: 'one', ...claims })).toMatchObject({
      subject: 'one',
      email,
      isVerified,
    })
  })

  it.each([
    ['without a workspace', GOOGLE, {}],
    ['of another workspace', GOOGLE, { hd: 'example.org' }],
    ['of another workspace behind another issuer', OKTA, { hd: 'example.org' }],
  ])('is refused with a Google account %s', async (_name, issuer, more) => {
    const claims = { sub: 'one', email, email_verified: true, ...more }
    const read = Promise.resolve().then(() => toConnectedPerson({ issuer }, claims))
    expect(await refusalOf(read)).toBe('domain-not-proved')
  })
})
