/** The name of the `<meta>` that pages carry where local data may be moved to a real account. */
export const LOCAL_DATA_MARK = 'fairway-local-data'
