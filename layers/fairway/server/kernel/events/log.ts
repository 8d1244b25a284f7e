import { scrub } from './scrub'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
type LogFields = Record<string, unknown>

export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

const order: Record<LogLevel, number> = { debug: 10, info: 20, warn: 30, error: 40 }
const SECRET_NAME = /pass(word|phrase)?|secret|token|cookie|authorization|credential|verifier|assertion|api-?key/i

/** A log of one JSON object a line; values under names that hold secrets, and addresses and secrets within texts, are replaced before they are written. */
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

/** A copy of `value` in which everything stored under a secret's name is `[redacted]` and errors are plain objects. */
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
