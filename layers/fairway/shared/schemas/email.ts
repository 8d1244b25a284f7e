import { z } from 'zod'

/**
 * An email address in the form of accounts: Unicode NFKC, trimmed, in lower case, at most 254 characters. The format refuses
 * look-alike characters and lists of addresses.
 */
export const emailSchema = z
  .string()
  .normalize('NFKC')
  .trim()
  .toLowerCase()
  .pipe(z.email().max(254))
  .describe('An email address.')
