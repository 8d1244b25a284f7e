import { z } from 'zod'

/**
 * One email address as accounts have it: Unicode form NFKC, trimmed, in lower case, 254 characters at most. Look-alike signs and
 * lists of addresses are refused by the format.
 */
export const emailSchema = z
  .string()
  .normalize('NFKC')
  .trim()
  .toLowerCase()
  .pipe(z.email().max(254))
  .describe('An email address.')
