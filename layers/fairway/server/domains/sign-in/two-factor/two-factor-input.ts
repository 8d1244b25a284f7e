import { z } from 'zod'

const code = z.string('Enter the code.').trim().min(1, 'Enter the code.').max(40, 'This is not a code.')
const password = z.string('Enter your password.').min(1, 'Enter your password.').max(1024, 'This is too long.')

/** What the endpoints of two-factor sign-in accept. */
export const twoFactorInput = { code: z.object({ code }), password: z.object({ password }) }
