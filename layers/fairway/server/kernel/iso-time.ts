const DAY_IN_MS = 86_400_000

const two = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'))

/** The most recently requested day: times that are formatted together are mostly of one day. */
const last = { day: Number.NaN, text: '' }

/** Formats a time (milliseconds since 1970) like `Date.prototype.toISOString`; throws a RangeError for an invalid one. */
export function isoTime(inMs: number): string {
  const whole = Math.trunc(inMs)
  const day = Math.floor(whole / DAY_IN_MS)
  if (day !== last.day) {
    const text = new Date(whole).toISOString()
    last.text = text.slice(0, text.indexOf('T') + 1)
    last.day = day
    return text
  }
  const ofDay = whole - day * DAY_IN_MS
  const inSeconds = Math.floor(ofDay / 1000)
  const inMinutes = Math.floor(inSeconds / 60)
  const time = `${two[Math.floor(inMinutes / 60)]}:${two[inMinutes % 60]}:${two[inSeconds % 60]}`
  return `${last.text}${time}.${String(ofDay % 1000).padStart(3, '0')}Z`
}

/** Formats a time that may be missing; null stays null. */
export const isoTimeOrNull = (inMs: number | null): string | null => (inMs === null ? null : isoTime(inMs))
