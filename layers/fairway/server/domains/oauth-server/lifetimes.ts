const MINUTE_IN_MS = 60 * 1000
const DAY_IN_MS = 24 * 60 * MINUTE_IN_MS

/** The most that the setting allows. What was signed before it was lowered is good for this long. */
export const LONGEST_ACCESS_TOKEN_LIFE_IN_MS = 60 * MINUTE_IN_MS
/** A refresh token that is not used for this long is over. */
export const REFRESH_IDLE_IN_MS = 30 * DAY_IN_MS
/** However often it is renewed, a connection ends this long after the consent. */
export const GRANT_LIFE_IN_MS = 90 * DAY_IN_MS
