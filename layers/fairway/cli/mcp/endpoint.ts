// The address of an MCP endpoint, and the messages for failed steps.
import { isLoopbackHost } from '../../shared/loopback'
import { UsageFault } from '../terminal'

/** True for an address on this machine, where http without TLS is allowed. */
export const isLoopback = (url: URL): boolean => isLoopbackHost(url.hostname) || url.hostname.endsWith('.localhost')

/**
 * Returns the endpoint that a person means: adds `/mcp` to a bare origin; without text, it is the application of this folder.
 * Throws a sentence for an address that no host could use.
 */
export function parseMcpUrl(text: string | undefined, baseUrl = 'http://localhost:3000'): URL {
  const address = text ?? baseUrl
  const url = URL.parse(/^[\w.-]+(:\d+)?(\/|$)/.test(address) ? `https://${address}` : address)
  if (!url || !['https:', 'http:'].includes(url.protocol))
    throw new UsageFault(`${address} is no http or https address.`)
  if (url.username || url.password) throw new UsageFault('The address must not hold a user name or a password.')
  if (url.protocol === 'http:' && !isLoopback(url))
    throw new UsageFault(`${url.href} is not encrypted. Only addresses on this machine may begin with http.`)
  url.hash = ''
  if (url.pathname === '/') url.pathname = '/mcp'
  return url
}

/** A step of connecting that violated the standards: the expected and the actual response. */
export class StepFailure extends Error {
  constructor(
    readonly step: string,
    readonly expected: string,
    readonly got: string,
    options: ErrorOptions = {},
  ) {
    super(`${step}: expected ${expected}, got ${got}`, options)
    this.name = 'StepFailure'
  }
}

/** Describes an unexpected response in one line, with a shortened, printable body. */
export async function describeAnswer(answer: Response): Promise<string> {
  const text = await answer.text().catch(() => '')
  const plain = printable(text)
  const type = answer.headers.get('content-type') ?? 'no content type'
  return `${answer.status} (${type})${plain ? `: ${plain}` : ''}`
}

/** Returns text from a server with printable characters only, shortened to 200 characters by default. */
export const printable = (text: string, longest = 200): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, longest)

/** Returns the reason of an error, including its causes. */
export function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return printable(String(thrown))
  const cause = thrown.cause instanceof Error ? `: ${reasonOf(thrown.cause)}` : ''
  return printable(`${thrown.message}${cause}`)
}
