import { actionPath, AUTH_PREFIX } from '#shared/paths'

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
  const options = Object.entries(input).flatMap(([key, value]) => cliOption(key, value))
  return ['AUTH_MODE=local npx fw action', name, ...options].join(' ')
}

function cliOption(key: string, value: unknown): string[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return [`--${key}=${quote(text)}`]
}
