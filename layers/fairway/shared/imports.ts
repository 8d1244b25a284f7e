/** The maximum number of rows in one import. */
export const MOST_IMPORTED_ROWS = 5000
