// Recognizes secrets: tokens by their prefix, other secrets by their name.
/** The prefix of every personal token, so that secret scanners find a leaked one. */
export const PERSONAL_TOKEN_PREFIX = 'fwp_'

/** The lifetimes of a personal token, in days. */
export const TOKEN_DAYS = [7, 30, 90, 365] as const

/** Returns whether a credential has the form of a personal token; it may still be invalid. */
export const isPersonalToken = (credential: string | undefined): credential is string =>
  credential?.startsWith(PERSONAL_TOKEN_PREFIX) ?? false

/** The prefix of every key of a service account. */
export const SERVICE_KEY_PREFIX = 'fws_'

/** Returns whether a credential has the form of a service account's key; it may still be invalid. */
export const isServiceKey = (credential: string | undefined): credential is string =>
  credential?.startsWith(SERVICE_KEY_PREFIX) ?? false

/** Returns whether a credential has the form of one that opens actions and collections: an API token, or a service account's key. */
export const isApiToken = (credential: string | undefined): credential is string =>
  isPersonalToken(credential) || isServiceKey(credential)

/** The prefix of every token of an embedded page, which distinguishes it from other credentials. */
export const EMBED_TOKEN_PREFIX = 'fwe_'

/** Whether a bearer credential is a token of an embedded page. */
export const isEmbedToken = (bearer: string | undefined): bearer is string =>
  bearer?.startsWith(EMBED_TOKEN_PREFIX) ?? false

/** Names of secrets: their values are never logged, and never shown in a command to copy. */
export const SECRET_NAME =
  /pass(word|phrase)?|secret|token|cookie|authorization|credential|verifier|assertion|api-?key/i
