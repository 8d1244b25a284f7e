import { expect, it } from 'vitest'
import { isSessionCookie, isWorkspaceCookie } from '../../src/clean-up'

it.each([
  'fw.session_token',
  '__Host-fw.session_token',
  '__Secure-fw.session_token',
  'fw.identity.abcDEF123-_45678',
  '__Host-fw.identity.abcDEF123-_45678',
  '__Secure-fw.identity_verifier.abcDEF123-_45678',
  '__Secure-fw.desktop_binding',
  '__Host-fw.passkey',
  '__Host-fw.known',
  '__Host-fw.provider_state',
  'fw.connection_state',
])('removes the cookie %s when signing out', name => {
  expect(isWorkspaceCookie(name)).toBe(true)
})

it.each([
  '',
  'theme',
  'fw.theme',
  'session_token',
  'xfw.session_token',
  'fw.session_token_extra',
  'fwXsession_token',
  '__Host-session_token',
  '__Other-fw.session_token',
  'fw.session_token\n',
  'fw.session_token.a b',
])('keeps the cookie %j when signing out', name => {
  expect(isWorkspaceCookie(name)).toBe(false)
})

it('recognizes the cookies that sign in a person', () => {
  expect(['fw.session_token', '__Host-fw.session_token'].every(isSessionCookie)).toBe(true)
  expect(isSessionCookie('fw.identity.abc')).toBe(false)
  expect(isSessionCookie('fw.session_token.abc')).toBe(false)
})
