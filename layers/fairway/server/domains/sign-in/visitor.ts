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
