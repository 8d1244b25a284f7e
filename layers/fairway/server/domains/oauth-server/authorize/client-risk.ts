// Which requests to connect an app deserve a warning. Most hosts run on the person's own computer, registered themselves and are
// what they say: a warning on each of them would be read on none. It stands where something is out of the ordinary.
import type { OAuthClient } from '../clients/client-metadata'
import { redirectKind, staysOnComputer } from '../clients/redirect-uri'

/**
 * `look-alike`: the name is written so that it reads like another one. `elsewhere`: what is allowed goes to an address that the app's
 * name or origin does not explain. `private-use`: the address has a scheme that any program on the computer may take.
 */
export type ClientRisk = 'look-alike' | 'elsewhere' | 'private-use'

/** Names that people trust, besides the product's own. */
const KNOWN_NAMES =
  'Anthropic ChatGPT Claude Codex Copilot Cursor Gemini GitHub Google Microsoft OpenAI VSCode Windsurf'.split(' ')

/** What is out of the ordinary about a client and its address, the gravest first; undefined for most. `product` is this application's name. */
export function riskOf(client: OAuthClient, redirectUri: string, product: string): ClientRisk | undefined {
  const name = client.name ?? ''
  if (isLookAlike(name, product)) return 'look-alike'
  if (redirectKind(redirectUri) === 'private-use') return 'private-use'
  if (staysOnComputer(redirectUri)) return undefined
  const { hostname, host } = new URL(redirectUri)
  const isExplained = client.host === null ? namesHost(name, hostname) : isSameSite(client.host, host)
  return isExplained ? undefined : 'elsewhere'
}

function isLookAlike(name: string, product: string): boolean {
  if (mixesScripts(name)) return true
  // Only this server is called like its product.
  if (plain(name) === plain(product)) return true
  return [...KNOWN_NAMES, product].some(known => skeleton(name) === skeleton(known) && plain(name) !== plain(known))
}

const mixesScripts = (name: string): boolean =>
  name
    .split(/[^\p{L}]+/u)
    .some(word => /\p{Script=Latin}/u.test(word) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word))

const plain = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '')

/** A name with the letters that look alike made equal. */
const skeleton = (name: string): string =>
  plain(name.normalize('NFKC').replaceAll(/[I|]/g, 'l'))
    .replaceAll('0', 'o')
    .replaceAll(/[1i]/g, 'l')
    .replaceAll('5', 's')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')

/** Whether the name of an app says whose host this is: “Claude” and claude.ai, but not claude.example.com. */
function namesHost(name: string, hostname: string): boolean {
  const owner = plain(ownLabel(hostname))
  const words = name.split(/[^\p{L}\p{N}]+/u).map(plain)
  return owner.length > 2 && (words.includes(owner) || plain(name) === owner)
}

/** The part of a host that its owner has chosen; below a suffix of two short parts (co.uk) the third. */
function ownLabel(hostname: string): string {
  const [top = '', second = '', third = ''] = hostname.replace(/\.$/, '').split('.').toReversed()
  return top.length === 2 && second.length <= 3 && third ? third : second
}

/** Whether one of the hosts is the other or lies below it. */
const isSameSite = (one: string, other: string): boolean =>
  one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`)
