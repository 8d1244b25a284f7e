import { z } from 'zod'
import { deviceInWords, readDevice } from '#fairway/server/domains/people'

/** What the request says about where it came from. */
export interface Visitor {
  clientAddress: string
  userAgent: string
  cookieHeader?: string
  /** The language that the page was shown in. */
  language?: string
}

/** The visitor's browser and address in words, for mails. */
export const askedFrom = async ({ userAgent, clientAddress }: Visitor): Promise<string> =>
  `${deviceInWords(await readDevice(userAgent))}, from the address ${clientAddress}`

/** One address only, looked at after Unicode normalisation: look-alike signs and lists are refused by the format. */
export const emailSchema = z
  .string('Enter your e-mail address.')
  .transform(email => email.normalize('NFKC').trim().toLowerCase())
  .pipe(z.email('This is not an e-mail address.').max(254, 'This address is too long.'))
