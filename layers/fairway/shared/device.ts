/** What a device remembers besides what its settings say: names in the browser's own storage, which the server's pages read too. */

/** How this browser signed in last: what its session said of that. */
export const LAST_WAY = 'fairway-signed-in-with'

/** The language that was chosen on this device. */
export const LANGUAGE_SETTING = 'fairway-language'

/** The cookie that tells the server's own pages and mails of it. */
export const LANGUAGE_COOKIE = 'fw-language'
