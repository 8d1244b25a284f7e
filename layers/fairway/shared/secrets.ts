// How secrets are recognized: tokens by how they begin, other secrets by the name they stand under.
/** How every personal token begins, so that scanners of secrets find one that was left somewhere. */
export const PERSONAL_TOKEN_PREFIX = 'fwp_'

/** For how many days a personal token may be made. */
export const TOKEN_DAYS = [7, 30, 90, 365] as const

/** Whether a credential says that it is a personal token; it may still open nothing. */
export const isPersonalToken = (credential: string | undefined): credential is string =>
  credential?.startsWith(PERSONAL_TOKEN_PREFIX) ?? false

/** What every token of an embedded page begins with, so that it is never taken for another credential. */
export const EMBED_TOKEN_PREFIX = 'fwe_'

/** Whether a bearer credential is a token of an embedded page. */
export const isEmbedToken = (bearer: string | undefined): bearer is string =>
  bearer?.startsWith(EMBED_TOKEN_PREFIX) ?? false

/** Names under which secrets stand: their values are never logged, and never shown in a command to copy. */
export const SECRET_NAME =
  /pass(word|phrase)?|secret|token|cookie|authorization|credential|verifier|assertion|api-?key/i
