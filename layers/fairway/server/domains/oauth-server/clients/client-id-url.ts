import { isIP } from 'node:net'

const LONGEST = 2048
/** Names that never belong to a machine in the public network. */
const PRIVATE_SUFFIXES = [
  'localhost',
  'local',
  'internal',
  'intranet',
  'lan',
  'home',
  'corp',
  'arpa',
  'onion',
  'invalid',
]

/** Whether a client_id is an address: anything that begins with a scheme. Such a client is never looked up in our own table. */
export const isUrlLike = (clientId: string): boolean => /^\s*[a-z][a-z0-9+.-]*:/i.test(clientId)

/** Why an address cannot be that of a client's metadata document, as a sentence; undefined when it can. */
export function clientIdUrlFault(clientId: string): string | undefined {
  if (clientId.length > LONGEST) return 'It is too long.'
  if (!clientId.startsWith('https://')) return 'It does not begin with https://.'
  if (clientId.includes('#')) return 'It has a fragment.'
  if (!URL.canParse(clientId)) return 'It is not a valid address.'
  const url = new URL(clientId)
  if (/^https:\/\/[^/?]*@/.test(clientId)) return 'It has a user name.'
  if (url.port !== '') return 'It names a port.'
  // What the parser changes (dot segments, numbers as hosts, upper-case names, a default port) would be two spellings of one client.
  if (url.href !== clientId) return 'It is not in its normal form.'
  if (url.pathname === '/') return 'It has no path.'
  return hostFault(url.hostname)
}

function hostFault(hostname: string): string | undefined {
  if (isIP(hostname) || hostname.startsWith('[')) return 'Its host is a number.'
  if (hostname.endsWith('.')) return 'Its host ends with a dot.'
  const labels = hostname.split('.')
  if (labels.length < 2 || PRIVATE_SUFFIXES.includes(labels.at(-1) ?? ''))
    return 'Its host is not in the public network.'
  return undefined
}
