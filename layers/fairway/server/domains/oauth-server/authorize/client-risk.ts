// Decides which requests to connect an app get a warning. Most hosts registered themselves from the person's own computer and are
// what they claim to be. If each of them got a warning, people would read none, so only unusual requests get one.
import type { OAuthClient } from '../clients/client-metadata'
import { redirectKind, staysOnComputer } from '../clients/redirect-uri'

/**
 * `look-alike`: the name imitates another one. `elsewhere`: the code goes to an address that the app's name or origin does not
 * explain. `private-use`: the address has a scheme that any program on the computer can register.
 */
export type ClientRisk = 'look-alike' | 'elsewhere' | 'private-use'

/** Names that people trust, in addition to the product's own. */
const KNOWN_NAMES =
  'Anthropic ChatGPT Claude Codex Copilot Cursor Gemini GitHub Google Microsoft OpenAI VSCode Windsurf'.split(' ')

/**
 * Returns the gravest risk of a client and its address; undefined for most. A device has no address (null). `product` is this
 * application's name.
 */
export function riskOf(client: OAuthClient, redirectUri: string | null, product: string): ClientRisk | undefined {
  const name = client.name ?? ''
  if (isLookAlike(name, product)) return 'look-alike'
  if (redirectUri === null) return undefined
  if (redirectKind(redirectUri) === 'private-use') return 'private-use'
  if (staysOnComputer(redirectUri)) return undefined
  const { hostname, host } = new URL(redirectUri)
  const isExplained = client.host === null ? namesHost(name, hostname) : isSameSite(client.host, host)
  return isExplained ? undefined : 'elsewhere'
}

function isLookAlike(name: string, product: string): boolean {
  if (mixesScripts(name)) return true
  // Only this server may have the name of its product.
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

/** A name with similar letters made equal. */
const skeleton = (name: string): string =>
  plain(name.normalize('NFKC').replaceAll(/[I|]/g, 'l'))
    .replaceAll('0', 'o')
    .replaceAll(/[1i]/g, 'l')
    .replaceAll('5', 's')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')

/** Whether the name of an app contains the owner of this host: “Claude” and claude.ai, but not claude.example.com. */
function namesHost(name: string, hostname: string): boolean {
  const owner = plain(ownLabel(hostname))
  const words = name.split(/[^\p{L}\p{N}]+/u).map(plain)
  return owner.length > 2 && (words.includes(owner) || plain(name) === owner)
}

/** The label of a host that its owner has chosen; below a suffix of two short labels (co.uk), the third. */
function ownLabel(hostname: string): string {
  const [top = '', second = '', third = ''] = hostname.replace(/\.$/, '').split('.').toReversed()
  return top.length === 2 && second.length <= 3 && third ? third : second
}

/** Whether the hosts are equal or one is a subdomain of the other. */
const isSameSite = (one: string, other: string): boolean =>
  one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`)
