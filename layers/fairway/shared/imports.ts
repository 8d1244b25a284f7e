/** How many rows one import takes. */
export const MOST_IMPORTED_ROWS = 5000
