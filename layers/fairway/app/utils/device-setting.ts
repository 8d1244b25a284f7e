const PREFIX = 'fairway-'

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
