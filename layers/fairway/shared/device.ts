// Names that the server and its pages share with the browser: storage keys, cookies and marks in pages.

/** The storage key for this browser's previous sign-in method, as its session reported it. */
export const LAST_WAY = 'fairway-signed-in-with'

/** The language that was chosen on this device. */
export const LANGUAGE_SETTING = 'fairway-language'

/** The cookie that passes it to the server's own pages and mails. */
export const LANGUAGE_COOKIE = 'fw-language'

/** The cookie with the browser’s time zone, for the times in mails. */
export const TIME_ZONE_COOKIE = 'fw-time-zone'

/** The name of the `<meta>` in pages where local data may be moved to a real account. */
export const LOCAL_DATA_MARK = 'fairway-local-data'
