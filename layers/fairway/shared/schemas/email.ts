import { z } from 'zod'
import { EMAIL_ADDRESS } from '../email-address'

/** Spaces, and the invisible characters that copying an address from a page adds. */
const AROUND = /^[\s\p{Cf}]+|(?<![\s\p{Cf}])[\s\p{Cf}]+$/gu

/**
 * An email address that another system names: a provider, a hub, another application. Without invisible characters around it, in
 * lower case, at most 254 characters. Refuses look-alike characters before lower-casing, which makes a plain k of U+212A.
 */
export const claimedEmailSchema = z
  .string()
  .overwrite(text => text.replaceAll(AROUND, ''))
  .pipe(z.email({ pattern: EMAIL_ADDRESS }).max(254).toLowerCase())

/** Full-width characters, as input methods for Chinese and Japanese write them. */
const FULL_WIDTH = /[\uff01-\uff5e]/g
const toHalfWidth = (letter: string): string => String.fromCharCode(letter.charCodeAt(0) - 0xfee0)

/**
 * An email address that a person enters, in the form of accounts: without spaces and invisible characters around it, in lower
 * case, at most 254 characters. Full-width characters become plain ones. Refuses look-alike characters and lists of addresses.
 */
export const emailSchema = z
  .string()
  .overwrite(text => text.replaceAll(FULL_WIDTH, toHalfWidth))
  .pipe(claimedEmailSchema)
  .describe('An email address.')
