/** Every URL that Fairway serves, defined once; all are paths below the base URL. */
export const SIGN_IN_PATH = '/sign-in'
/** The parameter of the sign-in page for a signed-in user who must sign in again, or as another user. */
export const SIGN_IN_AGAIN = 'again'
export const LEGACY_SIGN_IN_PATH = '/_fw/sign-in'
const FRAMEWORK_PREFIX = '/_fw'
export const SESSION_PATH = '/_fw/session'
export const SESSIONS_PATH = '/_fw/sessions'
/** Where a development server shows the mails that it wrote. */
export const OUTBOX_PATH = '/_fw/dev/outbox'
/** Where a development server shows previews of its mails. */
export const MAIL_PREVIEW_PATH = '/_fw/dev/mails'
/** Where a receiver switches optional mails off. */
export const MAIL_TOPICS_PATH = '/_fw/mail-topics'
/** DevTools: a developer's view of their server, only on their own machine. */
export const DEVTOOLS_PATH = '/_fw/devtools'
/** The page where the owner of an address reviews the account's sign-in methods. */
export const CLAIM_PATH = '/_fw/claim'
/** The page where the IT contact of an organization sets up single sign-on, by a mailed link. */
export const SETUP_PATH = '/_fw/setup'
/** The page that requests acceptance of the terms, and then redirects to `return`. */
export const TERMS_PATH = '/_fw/terms'
/** The page behind the links to both addresses for a change of address. */
export const ADDRESS_LINK_PATH = '/_fw/address'
/** The picture of a person; each version has a separate address. */
export const picturePath = (userId: string, version: string) =>
  `/_fw/people/${encodeURIComponent(userId)}/picture?v=${encodeURIComponent(version)}`
export const AUTH_PREFIX = '/_fw/auth'
/** The path that a provider redirects to after a sign-in: the address that is registered there. */
export const signInCallbackPath = (provider: string) => `${AUTH_PREFIX}/callback/${provider}`
/** The path that a customer's provider redirects to. Each connection has its own, so that no issuer can answer for another. */
export const connectionCallbackPath = (id: string) => `${AUTH_PREFIX}/callback/connection/${id}`
/** The path that starts a sign-in by a connection, also from the provider's dashboard. */
export const connectionStartPath = (id: string) => `${AUTH_PREFIX}/connection/${id}`
/** The path that links a connection once the account was proved. */
export const CONNECTION_LINK_PATH = '/_fw/auth/connection-link'
/** Our public keys for `private_key_jwt`. */
export const CLIENT_KEYS_PATH = '/_fw/auth/jwks'
/** The available sign-in methods. */
export const SIGN_IN_METHODS_PATH = '/_fw/auth/methods'
/** The page behind mailed links for signing in, confirming an address and setting a new password. */
export const EMAIL_LINK_PATH = '/_fw/auth/link'
/** The prefix of the upload paths, one for each declaration. */
export const FILES_PREFIX = '/_fw/files'
/** The bytes of a file in an item of a collection. */
export const filePath = (collection: string, row: string, file: string) =>
  `${FILES_PREFIX}/${collection}/${encodeURIComponent(row)}/${encodeURIComponent(file)}`
/** The upload path of one declaration. */
export const uploadPath = (upload: string) => `${FILES_PREFIX}/${encodeURIComponent(upload)}`
export const ACTIONS_PREFIX = '/_fw/actions'
/** Where a public form requests its ticket. */
export const FORM_TICKET_PATH = '/_fw/form-ticket'
export const ORG_PATH = '/_fw/org'
/** The prefix of pages with an organization in their address: `/o/<slug>/…`. */
export const ORG_PAGES_PREFIX = '/o'
/** Names the organization that a request is for, by its slug. Links name it by a parameter of the same name. */
export const ORG_HEADER = 'fw-org'
/** The ID of the organization that a page without one in its address shows. */
export const SHOWN_ORG_HEADER = 'fw-shown-org'
/** Changes as they happen, as server-sent events. */
export const CHANGES_PATH = '/_fw/changes'
export const EMBED_PATH = '/_fw/embed'
/** The endpoint for MCP hosts. */
export const MCP_PATH = '/mcp'

/** The server card of `/mcp` (SEP-2127). */
export const SERVER_CARD_PATH = `${MCP_PATH}/server-card`
export const MCP_CATALOG_PATH = '/_fw/mcp/catalog'
export const OAUTH_PREFIX = '/mcp/oauth'
export const OAUTH_AUTHORIZE_PATH = '/mcp/oauth/authorize'
/** The page where a person types the code of a device without a browser (RFC 8628). */
export const DEVICE_PATH = '/device'
export const WELL_KNOWN_PREFIX = '/.well-known'
export const GRANTS_PATH = '/_fw/grants'
export const ORG_GRANTS_PATH = '/_fw/org/grants'
/** Where other applications call this application's actions. */
export const A2A_PATH = '/_fw/a2a'
/** The pages where a person approves calls on their behalf, one for each question. */
export const APPROVALS_PATH = '/approvals'
/** The same pages, as other applications know them. */
export const A2A_APPROVALS_PATH = '/_fw/a2a/approvals'
export const OPENAPI_PATH = '/_fw/openapi.json'
/** The documents that describe collections to programs: one context for each type, all classes, and the entrypoint. */
export const CONTEXTS_PREFIX = '/contexts'
export const COLLECTIONS_DOCUMENTATION_PATH = '/docs.jsonld'
export const COLLECTIONS_ENTRYPOINT_PATH = '/index.jsonld'

/** Where desktop applications sign people in to a workspace; the page that completes it is below. */
export const DESKTOP_PREFIX = '/_fw/desktop'
export const DESKTOP_CEREMONIES_PATH = '/_fw/desktop/ceremonies'
export const DESKTOP_COMPLETE_PATH = '/_fw/desktop/complete'

/** The URL path of one action, for example `/_fw/actions/create-note`. */
export const actionPath = (name: string) => `${ACTIONS_PREFIX}/${encodeURIComponent(name)}`

/** Where providers redirect people who connect an account: one address for all providers. */
export const CALLBACK_PATH = '/callback'
export const CONNECTIONS_PATH = '/_fw/connections'
/** The page with a person's connections. */
export const CONNECTIONS_PAGE = '/connections'
/** The webhooks of the organization that the person works in. */
export const WEBHOOKS_PAGE = '/team/webhooks'
/** The connected apps and service accounts of the organization that the person works in. */
export const CONNECTED_APPS_PAGE = '/team/apps'
/** The base address of SCIM 2.0 (RFC 7644 §3.13). */
export const SCIM_PREFIX = '/_fw/scim/v2'
/** The connected apps and API tokens of an organization's members. */
export const ORGANIZATION_APPS_PAGE = '/team/apps'
export const SINGLE_SIGN_ON_PAGE = '/team/single-sign-on'
/** The operators' pages of the installation, including its webhooks. */
export const SECURITY_PAGE = '/security'

/**
 * The identity hub's endpoints for other applications: they send people there, redeem the returned code, and query the hub's data
 * about them.
 */
export const IDENTITY_AUTHORIZE_PATH = '/_fw/identity/authorize'
export const IDENTITY_TOKEN_PATH = '/_fw/identity/token'
export const IDENTITY_REGISTRATION_PATH = '/_fw/identity/registration'

/** The page that an invitation's mail leads to. */
export const INVITATION_PAGE = '/invitation'

/** Where signing in through the identity hub begins. */
export const IDENTITY_LOGIN_PATH = '/_fw/identity/login'

/** Where a person sees their name, picture and address. */
export const PROFILE_PAGE = '/settings'

/** Where a person sees the devices they are signed in on. */
export const DEVICES_PAGE = '/settings/security#devices'

/** Where a person sees their API tokens. */
export const TOKENS_PAGE = '/settings/apps'
/** Where a person sees the calls of apps that wait for them. */
export const APPROVALS_PAGE = '/settings/apps'

const SERVER_PAGES = [
  SIGN_IN_PATH,
  CALLBACK_PATH,
  DEVICE_PATH,
  COLLECTIONS_DOCUMENTATION_PATH,
  COLLECTIONS_ENTRYPOINT_PATH,
]
/** The places where only the platform has paths: the build refuses routes and files of an application there. */
export const RESERVED_PLACES: readonly string[] = [FRAMEWORK_PREFIX, MCP_PATH, CONTEXTS_PREFIX]
const SERVER_PLACES = [...RESERVED_PLACES, APPROVALS_PATH, '/api', WELL_KNOWN_PREFIX, '/_nuxt']

const isIn = (places: readonly string[], pathname: string): boolean =>
  places.some(
    place => pathname.startsWith(place) && (pathname.length === place.length || pathname[place.length] === '/'),
  )

/** Returns whether only the platform can have this path. */
export const isReservedPath = (pathname: string): boolean => isIn(RESERVED_PLACES, pathname)

/** Returns whether a path serves data or framework pages, never the application shell. */
export const isServerPath = (pathname: string): boolean =>
  SERVER_PAGES.includes(pathname) || isIn(SERVER_PLACES, pathname)
