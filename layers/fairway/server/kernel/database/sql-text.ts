/** Quotes an identifier for SQL, with any characters in it. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Quotes a text for SQL. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
