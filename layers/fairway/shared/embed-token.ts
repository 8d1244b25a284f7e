/** What every token of an embedded page begins with, so that it is never taken for another credential. */
export const EMBED_TOKEN_PREFIX = 'fwe_'

/** Whether a bearer credential is a token of an embedded page. */
export const isEmbedToken = (bearer: string | undefined): bearer is string =>
  bearer?.startsWith(EMBED_TOKEN_PREFIX) ?? false
