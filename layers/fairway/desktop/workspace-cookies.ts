/**
 * The cookies that signing in and out leaves, without prefix. Where there is one for each state, the name ends with its key.
 * Nothing else of a partition is ever removed.
 */
const NAMES = [
  'session_token',
  'second_factor',
  'pending',
  'passkey',
  'provider_state',
  'connection_state',
  'identity',
  'identity_verifier',
  'desktop_binding',
]

const OURS = new RegExp(`^(?:__Host-|__Secure-)?fw\\.(?:${NAMES.join('|')})(?:\\.[\\w-]{1,128})?$`)
const SESSION = /^(?:__Host-|__Secure-)?fw\.session_token$/

/** Whether a cookie of this name belongs to signing in, so that signing out removes it. */
export const isWorkspaceCookie = (name: string): boolean => OURS.test(name)

/** Whether a cookie of this name signs somebody in. */
export const isSessionCookie = (name: string): boolean => SESSION.test(name)
