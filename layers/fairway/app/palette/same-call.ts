import { actionPath, AUTH_PREFIX } from '#fairway/shared/paths'

/** Quotes text for a POSIX shell, when it needs quotes. */
const quote = (text: string): string => (/^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)

/** The call of an action as curl makes it, after one sign-in that keeps the session in a file. */
export function curlCall(origin: string, email: string, name: string, input: Record<string, unknown>): string {
  const credentials = JSON.stringify({ email, password: '…' })
  return [
    `curl -c fairway.cookies ${quote(`${origin}${AUTH_PREFIX}/sign-in/email`)} \\`,
    `  --json ${quote(credentials)}`,
    '',
    `curl -b fairway.cookies ${quote(origin + actionPath(name))} \\`,
    `  -H ${quote(`Origin: ${origin}`)} \\`,
    `  --json ${quote(JSON.stringify(input))}`,
  ].join('\n')
}

/** The call of an action as the command line makes it, for the one person who is signed in on this machine. */
export function cliCall(name: string, input: Record<string, unknown>): string {
  const entries = Object.entries(input)
  const options = entries.every(isOption) ? entries.flatMap(toOptions) : [`--json=${quote(JSON.stringify(input))}`]
  return ['AUTH_MODE=local npx fw action', name, ...options].join(' ')
}

const OWN_OPTIONS = new Set(['json', 'list', 'help', 'raw'])

/** A list is an option given several times, so it needs one plain value at least; all else is better said as JSON. */
const isOption = ([key, value]: [string, unknown]): boolean =>
  !OWN_OPTIONS.has(key) && (isPlain(value) || (Array.isArray(value) && value.length > 0 && value.every(isPlain)))

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

const toOptions = ([key, value]: [string, unknown]): string[] =>
  (Array.isArray(value) ? value : [value]).map(each => `--${key}=${quote(String(each))}`)
