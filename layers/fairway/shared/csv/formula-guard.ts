// ASVS 1.2.10 and OWASP's page on CSV injection, which also lists line breaks and the full-width forms.
const STARTS = '=+\\-@\\t\\r\\n\\0＝＋－＠'
// Spreadsheets in many languages split a file at semicolons or tabs, whatever its separator, and then ignore its quotes.
const BEGINNING = '(?<=^|[;\\t\\r\\n])'
const FORMULA = `(?=['"]*[${STARTS}])`
const UNGUARDED = new RegExp(`${BEGINNING}${FORMULA}`, 'g')
const GUARD = new RegExp(`${BEGINNING}'${FORMULA}`, 'g')

/** Returns a text with an apostrophe before each part that a spreadsheet would take for a formula. */
export const guardFormulas = (text: string): string => text.replaceAll(UNGUARDED, "'")

/** Returns the text that `guardFormulas` was given. */
export const unguardFormulas = (text: string): string => (text.includes("'") ? text.replaceAll(GUARD, '') : text)
