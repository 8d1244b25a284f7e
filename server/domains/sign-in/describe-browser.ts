import { parse } from 'bowser'

/** A browser and its system in words, for example `Firefox on Windows`; what is not known is said to be unknown. */
export function describeBrowser(userAgent: string): string {
  if (!userAgent) return 'an unknown browser'
  const { browser, os } = parse(userAgent)
  return `${browser.name ?? 'an unknown browser'}${os.name ? ` on ${os.name}` : ''}`
}
