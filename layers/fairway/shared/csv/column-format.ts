// The forms in which spreadsheets write numbers, dates, times and booleans. A column has one of them.

/** What a field takes that texts write in several forms. */
export type ColumnKind = 'number' | 'boolean' | 'date' | 'datetime'

/** Converts a text to the form that actions take; undefined when it has another form. */
type Reader = (text: string) => string | undefined

function numberReader(group: string, decimal: string): Reader {
  const whole = String.raw`\d+|\d{1,3}(?<group>[${group}\s'’])\d{3}(?:\k<group>\d{3})*`
  const form = new RegExp(`^(?<sign>[-+−]?)(?<whole>${whole})(?:[${decimal}](?<part>\\d+))?(?<power>e[-+]?\\d+)?$`, 'i')
  return text => {
    const groups = form.exec(text)?.groups
    if (!groups) return
    const { sign = '', whole = '', part, power = '' } = groups
    const point = part === undefined ? '' : `.${part}`
    return `${'-−'.includes(sign || ' ') ? '-' : ''}${whole.replaceAll(/\D/g, '')}${point}${power}`
  }
}

function booleanReader(yes: string, no: string): Reader {
  const values = new Map([
    [yes, 'true'],
    [no, 'false'],
  ])
  return text => values.get(text.toLowerCase())
}

const TIME = String.raw`(?:,?[\sT]\s*(?<hours>\d{1,2}):(?<minutes>\d\d)(?::(?<seconds>\d\d)(?:[.,](?<parts>\d{1,9}))?)?\s*(?<half>[ap]m)?\s*(?<zone>z|[-+]\d\d:?\d\d)?)?`

function dateReader(example: string, toValue: (parts: Parts) => string | undefined): Reader {
  const date = example
    .replaceAll('.', String.raw`\.`)
    .replace('2026', String.raw`(?<year>[1-2]\d{3})`)
    .replace('12', String.raw`(?<month>\d{1,2})`)
    .replace('31', String.raw`(?<day>\d{1,2})`)
  const form = new RegExp(`^${date}${TIME}$`, 'i')
  return text => {
    const groups = form.exec(text)?.groups
    return groups && toValue(groups)
  }
}

type Parts = Readonly<Record<string, string | undefined>>

const two = (number: string | number = '00'): string => String(number).padStart(2, '0')

function toDay({ year, month, day }: Parts): string | undefined {
  const written = `${year}-${two(month)}-${two(day)}`
  const time = Date.parse(`${written}T00:00:00Z`)
  // Some engines count the days of February on into March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(written) ? written : undefined
}

/** A date without a time, or at midnight, as databases write it. */
const toDate = (parts: Parts): string | undefined =>
  /[1-9]/.test(`${parts.hours ?? ''}${parts.minutes ?? ''}${parts.seconds ?? ''}`) || parts.half || parts.zone
    ? undefined
    : toDay(parts)

/** A time. Without a time zone, it is in the one of this computer. */
function toDatetime(parts: Parts): string | undefined {
  const { hours = '0', minutes, seconds, half, parts: fraction = '', zone = '' } = parts
  const day = toDay(parts)
  if (!day || (half && !/^(0?[1-9]|1[0-2])$/.test(hours))) return
  const hour = half ? (Number(hours) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0) : hours
  const milliseconds = fraction.padEnd(3, '0').slice(0, 3)
  const offset = zone.toUpperCase().replace(/(\d\d):?(\d\d)$/, '$1:$2')
  const time = Date.parse(`${day}T${two(hour)}:${two(minutes)}:${two(seconds)}.${milliseconds}${offset}`)
  return Number.isNaN(time) || Number(hour) > 23 ? undefined : new Date(time).toISOString()
}

const BOOLEANS = [
  ['true', 'false'],
  ['yes', 'no'],
  ['1', '0'],
  ['y', 'n'],
  ['wahr', 'falsch'],
  ['ja', 'nein'],
  ['j', 'n'],
  ['نعم', 'لا'],
] as const
const DATES = ['2026-12-31', '2026/12/31', '31.12.2026', '31/12/2026', '12/31/2026', '31-12-2026', '12-31-2026']

/** The readers of each kind by the name of the format, which is an example of it. */
const readers: Readonly<Record<ColumnKind, ReadonlyMap<string, Reader>>> = {
  number: new Map([
    ['1,234.56', numberReader(',', '.')],
    ['1.234,56', numberReader('.', ',')],
  ]),
  boolean: new Map(BOOLEANS.map(([yes, no]) => [`${yes} / ${no}`, booleanReader(yes, no)])),
  date: new Map(DATES.map(example => [example, dateReader(example, toDate)])),
  datetime: new Map(DATES.map(example => [example, dateReader(example, toDatetime)])),
}

/** The names of the formats of a kind. Each name is an example, such as `31.12.2026`. */
export const formatsOf = (kind: ColumnKind): string[] => [...readers[kind].keys()]

/** Converts a text of a column to the form that actions take; undefined when it does not have the format. */
export const readValue = (kind: ColumnKind, format: string, text: string): string | undefined =>
  readers[kind].get(format)?.(text.trim())

/**
 * The format that most texts of a column have. Undefined when several formats fit as well as each other and give different
 * values: `01/02/2026` alone is a day in January or in February.
 */
export function inferFormat(kind: ColumnKind, texts: readonly string[]): string | undefined {
  const different = [...new Set(texts.map(text => text.trim()))].filter(text => text !== '')
  const fits = [...readers[kind]].map(([format, read]) => {
    const values = different.map(read)
    return { format, values, count: values.filter(value => value !== undefined).length }
  })
  const most = Math.max(...fits.map(({ count }) => count))
  const [best, ...others] = fits.filter(({ count }) => count === most)
  const isClear = others.every(({ values }) => values.every((value, index) => value === best?.values[index]))
  return isClear ? best?.format : undefined
}
