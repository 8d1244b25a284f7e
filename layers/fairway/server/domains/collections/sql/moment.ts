const MOMENT = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/i
const OFFSET_AFTER_SPACE = /(:\d{2}(?:\.\d+)?) (\d{2}:?\d{2})$/

/**
 * A point in time (ISO 8601; UTC where no offset is given) in units since 1970, or undefined when it is none.
 * A `+` that a query turned into a space is one again.
 */
export function readMoment(text: string, unitInMs: number): number | undefined {
  const parts = MOMENT.exec(text.replace(OFFSET_AFTER_SPACE, '$1+$2'))
  if (!parts) return undefined
  const [, day, time = '00:00', offset = 'Z'] = parts
  const inMs = Date.parse(`${day}T${time}${offset.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2').toUpperCase()}`)
  return Number.isNaN(inMs) ? undefined : inMs / unitInMs
}

/** A point in time as it stands in links: ISO 8601 with the offset of UTC, and milliseconds where there are some. */
export const writeMoment = (inMs: number): string => new Date(inMs).toISOString().replace(/(?:\.000)?Z$/, '+00:00')
