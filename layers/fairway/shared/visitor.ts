// Apart from the schemas, because the home page needs it and no schema.

/** The `via` of an audit row whose caller had no session, or works in another organization. */
export const VISITOR = 'visitor'
