export interface DeviceName {
  /** For example “Firefox”; null when the user agent names none that is known. */
  browser: string | null
  /** For example “Windows”; null when the user agent names none that is known. */
  system: string | null
}

/** The browser and the system that a user agent names; only names of the library's own list, because the text is the visitor's. */
export async function readDevice(userAgent: string | null): Promise<DeviceName> {
  if (!userAgent) return { browser: null, system: null }
  // Loaded on first use: starting the server does not need it.
  const { BROWSER_MAP, OS_MAP, parse } = await import('bowser')
  const { browser, os } = parse(userAgent)
  return { browser: known(BROWSER_MAP, browser.name), system: known(OS_MAP, os.name) }
}

/** A device in words for people, for example “Firefox on Windows”. */
export const deviceInWords = ({ browser, system }: DeviceName): string =>
  `${browser ?? 'Unknown browser'} on ${system ?? 'an unknown system'}`

const known = (names: object, name: string | undefined): string | null =>
  name !== undefined && Object.values(names).includes(name) ? name : null
