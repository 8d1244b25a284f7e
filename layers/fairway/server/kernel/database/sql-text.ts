/** Quotes an identifier for SQL, with any characters in it. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A text as SQL has it. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
