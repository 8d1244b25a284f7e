/** A moment as the clock of a studio shows it, for visitors in any time zone. */
export const timeInZone = (at: Date | string, timeZone: string, language: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'short', timeZone }).format(new Date(at))
