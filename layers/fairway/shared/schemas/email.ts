import { z } from 'zod'

export const emailSchema = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.email('This is not an e-mail address.').max(254))
  .describe('An e-mail address.')
