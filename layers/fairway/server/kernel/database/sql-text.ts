/** An identifier as SQL names it, whatever it holds. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A text as SQL has it. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
