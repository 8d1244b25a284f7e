/** Every URL that Fairway itself serves, written once; all are paths below the base URL. */
export const SIGN_IN_PATH = '/sign-in'
export const LEGACY_SIGN_IN_PATH = '/_fw/sign-in'
const FRAMEWORK_PREFIX = '/_fw'
export const SESSION_PATH = '/_fw/session'
export const SESSIONS_PATH = '/_fw/sessions'
export const AUTH_PREFIX = '/_fw/auth'
/** The page behind the links that are mailed to sign in, to confirm an address and to set a new password. */
export const EMAIL_LINK_PATH = '/_fw/auth/link'
export const ACTIONS_PREFIX = '/_fw/actions'
export const ORG_PATH = '/_fw/org'
export const LOCAL_MIGRATION_PATH = '/_fw/local-migration'
export const PASSKEYS_PATH = '/_fw/passkeys'
export const TWO_FACTOR_PATH = '/_fw/two-factor'
export const EMBED_PATH = '/_fw/embed'
export const OPENAPI_PATH = '/_fw/openapi.json'

/** The URL path of one action, for example `/_fw/actions/create-note`. */
export const actionPath = (name: string) => `${ACTIONS_PREFIX}/${encodeURIComponent(name)}`

/** The page that an invitation's mail leads to. */
export const INVITATION_PAGE = '/invitation'

/** Where a person sees the devices they are signed in on. */
export const DEVICES_PAGE = '/settings#devices'

/** True for paths that answer data or framework pages and never the application shell. */
export function isServerPath(pathname: string): boolean {
  return (
    pathname === SIGN_IN_PATH ||
    pathname === FRAMEWORK_PREFIX ||
    pathname.startsWith(`${FRAMEWORK_PREFIX}/`) ||
    pathname === '/api' ||
    pathname.startsWith('/api/') ||
    pathname === '/.well-known' ||
    pathname.startsWith('/.well-known/') ||
    pathname.startsWith('/_nuxt/')
  )
}
