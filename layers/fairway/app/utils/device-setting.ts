const PREFIX = 'fairway-'

/** The recent entries of the palette. They reveal what a user has read, so sign-out deletes them. */
export const RECENTS_SETTING = 'recents'

/** `off` disables single-key shortcuts. */
export const SHORTCUTS_SETTING = 'shortcuts'

/** The stored value of `name` on this device, or null. Also null if the browser has no storage. */
export function readDeviceSetting(name: string): string | null {
  try {
    return window.localStorage.getItem(PREFIX + name)
  } catch {
    return null
  }
}

/** Stores `value` on this device; null deletes it. Has no effect if the browser has no storage. */
export function writeDeviceSetting(name: string, value: string | null): void {
  try {
    if (value === null) window.localStorage.removeItem(PREFIX + name)
    else window.localStorage.setItem(PREFIX + name, value)
  } catch {
    // Private windows may refuse storage. The setting is then lost on reload.
  }
}
