const PREFIX = 'fairway-'

/** What the palette remembers; it names what a person has read, so it goes with the sign-out. */
export const RECENTS_SETTING = 'recents'

/** `off` where single keys do nothing. */
export const SHORTCUTS_SETTING = 'shortcuts'

/** What this device remembers under `name`, or null; also null where the browser keeps nothing. */
export function readDeviceSetting(name: string): string | null {
  try {
    return window.localStorage.getItem(PREFIX + name)
  } catch {
    return null
  }
}

/** Remembers `value` on this device; null forgets it. Where the browser keeps nothing, nothing happens. */
export function writeDeviceSetting(name: string, value: string | null): void {
  try {
    if (value === null) window.localStorage.removeItem(PREFIX + name)
    else window.localStorage.setItem(PREFIX + name, value)
  } catch {
    // Private windows may refuse; the setting then lasts as long as the page.
  }
}

/** What is remembered when the user puts the banner off: what it showed, and the day. */
export const toDismissal = (ids: readonly string[], now: Date): string => [dayOf(now), ...ids].join(' ')

/** What was put off today already; whatever came since then is shown. */
export function dismissedToday(kept: string | null, now: Date): ReadonlySet<string> {
  const [day, ...ids] = kept?.split(' ') ?? []
  return new Set(day === dayOf(now) ? ids : [])
}

/** The day on the reader's own calendar. */
const dayOf = (now: Date): string => [now.getFullYear(), now.getMonth() + 1, now.getDate()].join('-')
