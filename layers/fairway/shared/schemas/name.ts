import { z } from 'zod'

/** Control and format characters, among them those that reorder text. U+200C and U+200D join letters and emoji. */
const INVISIBLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}]/gu
/** Tabs, line breaks and separators of lines. */
const BREAKS = /[\t-\r\u0085\p{Zl}\p{Zp}]+/gu
/** Characters that show something. The braille pattern without dots looks like a space. */
const VISIBLE = /[^\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Returns a text as one line of visible characters in Unicode NFC; empty when it shows nothing. */
export function toPlainLine(text: string): string {
  const line = text.normalize('NFC').replaceAll(BREAKS, ' ').replaceAll(INVISIBLE, '').trim()
  return VISIBLE.test(line) ? line : ''
}

/** A name that may be empty: one plain line of at most `most` characters (code points). */
export const optionalNameSchema = (most: number) =>
  z
    .string()
    .overwrite(toPlainLine)
    .check(({ value, issues }) => {
      if ([...value].length > most)
        issues.push({ code: 'too_big', origin: 'string', maximum: most, inclusive: true, input: value })
    })
    .meta({ maxLength: most })

/** The name of a person, an organization, a token or a passkey. */
export const nameSchema = (most: number) => optionalNameSchema(most).min(1).meta({ maxLength: most })
