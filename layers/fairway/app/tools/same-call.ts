// The call of an action on other surfaces. It never contains a secret: the command reads secrets from the environment.
import { actionPath, MCP_PATH } from '#fairway/shared/paths'

/** A call: its input, and the names of the fields that hold a secret. */
interface ShownCall {
  name: string
  input: Record<string, unknown>
  secrets: readonly string[]
}

/** Quotes text for a POSIX shell, if needed. */
const quote = (text: string): string => (/^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)

/** The environment variable of a secret: `apiKey` is `API_KEY`. */
const variableOf = (field: string): string =>
  field
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll(/\W+/g, '_')
    .toUpperCase()

/** The input with each secret replaced by a placeholder. */
const withoutSecrets = ({ input, secrets }: ShownCall): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, secrets.includes(name) ? `$${variableOf(name)}` : value]),
  )

/** JSON for a shell: quoted, except for the secrets, which the shell inserts. */
function quotedJson(value: Record<string, unknown>, secrets: readonly string[]): string {
  const text = quote(JSON.stringify(value))
  return secrets.reduce((json, name) => {
    const variable = `$${variableOf(name)}`
    return json.replaceAll(`"${variable}"`, `"'"${variable}"'"`)
  }, text)
}

/** The call of an action with curl, with an API token from the environment or the given one. */
export function curlCall(origin: string, call: ShownCall, token = '$FW_TOKEN'): string {
  const { name, input, secrets } = call
  const present = secrets.filter(secret => secret in input)
  return [
    `curl ${quote(origin + actionPath(name))} \\`,
    `  -H "Authorization: Bearer ${token}" \\`,
    `  --json ${quotedJson(withoutSecrets(call), present)}`,
  ].join('\n')
}

/** The call of an action on the command line, for the user who is signed in on this machine. */
export function cliCall(call: ShownCall): string {
  const { name, input, secrets } = call
  const entries = Object.entries(input)
  const present = secrets.filter(secret => secret in input)
  const options = entries.every(isOption)
    ? entries.flatMap(entry => toOptions(entry, secrets))
    : [`--json=${quotedJson(withoutSecrets(call), present)}`]
  return ['AUTH_MODE=local npx fw action', name, ...options].join(' ')
}

/** The message that an MCP host sends for the call. */
export function mcpCall(call: ShownCall): string {
  const params = { name: call.name, arguments: withoutSecrets(call) }
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, undefined, 2)
}

/** The endpoint for MCP hosts. */
export const mcpAddress = (origin: string): string => origin + MCP_PATH

/** The call in a page of the application. */
export function composableCall(call: ShownCall): string {
  const input = Object.keys(call.input).length === 0 ? '{}' : toSource(withoutSecrets(call), call.secrets)
  return [
    `const { run, pending, error } = useAction(${sourceText(call.name)})`,
    '',
    `const result = await run(${input})`,
  ].join('\n')
}

const OWN_OPTIONS = new Set(['json', 'list', 'help', 'raw'])

/** A list is a repeated option, so it requires at least one plain value. All other values are written as JSON. */
const isOption = ([key, value]: [string, unknown]): boolean =>
  !OWN_OPTIONS.has(key) && (isPlain(value) || (Array.isArray(value) && value.length > 0 && value.every(isPlain)))

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

const toOptions = ([key, value]: [string, unknown], secrets: readonly string[]): string[] =>
  secrets.includes(key)
    ? [`--${key}="$${variableOf(key)}"`]
    : (Array.isArray(value) ? value : [value]).map(each => `--${key}=${quote(String(each))}`)

const sourceText = (text: string): string =>
  `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`

/** An object as source code. Each secret is a variable of that name. */
function toSource(input: Record<string, unknown>, secrets: readonly string[]): string {
  const rows = Object.entries(input).map(([name, value]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : sourceText(name)
    if (secrets.includes(name)) return key === name ? `  ${name},` : `  ${key}: secret,`
    const text =
      typeof value === 'string' ? sourceText(value) : JSON.stringify(value, undefined, 2).replaceAll('\n', '\n  ')
    return `  ${key}: ${text},`
  })
  return ['{', ...rows, '}'].join('\n')
}
