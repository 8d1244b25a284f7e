import { z } from 'zod'

/**
 * One e-mail address as accounts have it: Unicode form NFKC, trimmed, in lower case, 254 characters at most. Look-alike signs and
 * lists of addresses are refused by the format.
 */
export const emailSchema = z
  .string('Enter an e-mail address.')
  .normalize('NFKC')
  .trim()
  .toLowerCase()
  .pipe(z.email('This is not an e-mail address.').max(254, 'This address is too long.'))
  .describe('An e-mail address.')
