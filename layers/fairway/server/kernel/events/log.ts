import { SECRET_NAME } from '#fairway/shared/secrets'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
type LogFields = Record<string, unknown>

export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

const order: Record<LogLevel, number> = { debug: 10, info: 20, warn: 30, error: 40 }

/**
 * Creates a log with one JSON object per line. Values under secret names, and addresses and secrets within texts, are replaced
 * before they are written.
 */
export function createLog(write: (line: string) => void, least: LogLevel, now: () => Date): Log {
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (order[level] < order[least]) return
      write(JSON.stringify({ time: now().toISOString(), level, message, ...redact(fields) }, scrubbed))
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

const scrubbed = (_name: string, value: unknown): unknown => (typeof value === 'string' ? scrub(value) : value)

/** Returns a copy of `value` in which everything stored under a secret's name is `[redacted]` and errors are plain objects. */
export function redact<T>(value: T): T
export function redact(value: unknown, depth = 0): unknown {
  if (depth > 6) return '[deep]'
  if (value instanceof Error) return describeError(value, depth)
  if (Array.isArray(value)) return value.map(item => redactAt(item, depth + 1))
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      SECRET_NAME.test(name) ? '[redacted]' : redactAt(item, depth + 1),
    ]),
  )
}

const redactAt = redact as (value: unknown, depth: number) => unknown

function describeError(error: Error, depth: number): LogFields {
  const { name, message, stack, cause } = error
  return { name, message, stack, ...(cause === undefined ? {} : { cause: redactAt(cause, depth + 1) }) }
}

const REDACTED = '[redacted]'

/** Secrets in the middle of a text: the pattern and its replacement. */
const patterns: readonly [pattern: RegExp, replacement: string][] = [
  // The message of a failed query includes its values: addresses, tokens, people's texts.
  [/\nparams: .*?(?=\n {4}at |$)/gs, `\nparams: ${REDACTED}`],
  [/((?:__Host-)?fw\.session_token=)[^;\s"]+/g, `$1${REDACTED}`],
  [/([?&#](?:\w*token|code|state|ticket|id_token_hint|secret|password)=)[^&\s"'#]+/gi, `$1${REDACTED}`],
  [/\b(Bearer|Basic) [\w.~+/=-]{8,}/gi, `$1 ${REDACTED}`],
  // A JWT at any place: its header is a JSON object, which begins like this in base64url.
  [/\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g, REDACTED],
  // Bounded before the sign, because an unbounded run would be tried again from each of its characters.
  [/[^\s@<>"'(),:;[\]/\\=&?]{1,64}(?:@|%40)[^\s@<>"'(),:;[\]/\\&?#]{1,190}\.[a-z][a-z0-9-]+/gi, '[address]'],
]

/** Removes email addresses, session cookies, bearer values and secrets in queries from a text. */
const scrub = (text: string): string =>
  patterns.reduce((rest, [pattern, replacement]) => rest.replaceAll(pattern, replacement), text)

const MOST_CHARACTERS = 200

/** Returns a text from outside as one short line of printable characters, for the log. */
export const plainLine = (text: string): string => text.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, MOST_CHARACTERS)
