import { lookup } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import { request, type RequestOptions } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js'
import { refuseInRehearsal } from '../database/rehearsal'

interface GuardedRequest {
  headers?: Record<string, string>
  maxBytes: number
  /** For the whole call: resolving the name, connecting, and the response. */
  limitInMs: number
  /** Sent with POST; without it the request is a GET without a body. */
  body?: string
  /** Returns the first `maxBytes` of a response with any status, instead of refusing longer ones. */
  readsBeginning?: boolean
  /** Accepts an address with a port; without this option only port 443 is used. */
  takesPorts?: boolean
}

export interface GuardedAnswer {
  status: number
  /** A header by its lower-case name; several values are joined. */
  header(name: string): string | undefined
  /** Empty for a status other than 2xx, unless `readsBeginning` is set. */
  text: string
}

/** Fetches an https address that came from outside. Throws GuardedFetchError with a message that may be shown. */
export type GuardedFetch = (url: string, input: GuardedRequest) => Promise<GuardedAnswer>

/**
 * Why no server was reached, as where this server has no outgoing connection. A failure of a reached host is the fault of that
 * host.
 */
export type OutageCause = 'unknown-name' | 'unreachable' | 'timeout'

/** Why an address was not fetched, or its response not accepted; reveals no facts about our internal network. */
export class GuardedFetchError extends Error {
  override name = 'GuardedFetchError'
  readonly outage: OutageCause | null

  constructor(message: string, { outage = null, ...options }: ErrorOptions & { outage?: OutageCause | null } = {}) {
    super(message, options)
    this.outage = outage
  }
}

/** How a connection is opened. */
type Connection = Pick<RequestOptions, 'lookup' | 'port' | 'ca'>

interface GuardedFetchParts {
  /** All addresses of a host name. */
  resolve?: (hostname: string) => Promise<string[]>
  /** Connects only to these addresses. */
  connectTo?: (addresses: readonly string[]) => Connection
}

/**
 * Creates a fetch for addresses from outside: https, on port 443 unless the request allows other ports. The name is resolved
 * once, and every address of it must be public. The connection uses those addresses, no redirect is followed, and time and size
 * are limited.
 */
export function createGuardedFetch({ resolve = resolveAll, connectTo = pinned }: GuardedFetchParts = {}): GuardedFetch {
  return async (url, { headers = {}, limitInMs, takesPorts = false, ...input }) => {
    refuseInRehearsal('another server')
    const { hostname } = checkedUrl(url, takesPorts)
    const signal = AbortSignal.timeout(limitInMs)
    const addresses = await within(signal, resolve(hostname)).catch((cause: unknown) => {
      const outage = signal.aborted ? 'timeout' : 'unknown-name'
      throw new GuardedFetchError('the name of its host is not known', { cause, outage })
    })
    if (addresses.length === 0 || !addresses.every(isPublicAddress)) {
      throw new GuardedFetchError('its host is not in the public network')
    }
    const reached = { isSo: false }
    try {
      return await ask(url, {
        ...input,
        headers,
        signal,
        connection: connectTo(addresses),
        onReached: () => (reached.isSo = true),
      })
    } catch (cause) {
      if (cause instanceof GuardedFetchError) throw cause
      const message = signal.aborted ? 'it did not answer in time' : 'it could not be reached'
      const outage = reached.isSo ? null : signal.aborted ? 'timeout' : 'unreachable'
      throw new GuardedFetchError(message, { cause, outage })
    }
  }
}

interface AskInput extends Omit<GuardedRequest, 'limitInMs' | 'takesPorts'> {
  headers: Record<string, string>
  signal: AbortSignal
  connection: Connection
  /** Called once a server has accepted the connection. */
  onReached(): void
}

async function ask(
  url: string,
  { headers, maxBytes, body, readsBeginning = false, signal, connection, onReached }: AskInput,
): Promise<GuardedAnswer> {
  const options = {
    ...connection,
    method: body === undefined ? 'GET' : 'POST',
    // One connection for one request: none stays open to an unknown server.
    agent: false,
    signal,
    headers: { 'user-agent': 'Fairway', 'accept-encoding': 'identity', ...headers },
  }
  const answer = await send(url, options, { body, onReached })
  const status = answer.statusCode ?? 0
  try {
    return {
      status,
      header: name => [answer.headers[name] ?? []].flat().join(', ') || undefined,
      text: readsBeginning || (status >= 200 && status < 300) ? await read(answer, maxBytes, readsBeginning) : '',
    }
  } finally {
    answer.destroy()
  }
}

const send = (
  url: string,
  options: RequestOptions,
  { body, onReached }: Pick<AskInput, 'body' | 'onReached'>,
): Promise<IncomingMessage> =>
  new Promise((done, fail) => {
    const sent = request(url, options, done).on('error', fail)
    sent.once('socket', socket => void socket.once('connect', onReached))
    sent.end(body)
  })

async function read(body: AsyncIterable<Uint8Array>, maxBytes: number, isCut: boolean): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes && !isCut) throw new GuardedFetchError('its answer is too large')
    chunks.push(chunk)
    if (size >= maxBytes && isCut) break
  }
  return Buffer.concat(chunks, size).subarray(0, maxBytes).toString('utf8')
}

function checkedUrl(text: string, takesPorts: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:' || (url.port !== '' && !takesPorts))
    throw new GuardedFetchError('it is not an https address')
  if (isIP(url.hostname.replace(/^\[|\]$/g, ''))) throw new GuardedFetchError('its host has no name')
  return url
}

const resolveAll = async (hostname: string): Promise<string[]> =>
  (await lookup(hostname, { all: true, verbatim: true })).map(({ address }) => address)

/** Connects to the checked addresses, even if the name resolves differently a moment later. */
function pinned(addresses: readonly string[]): Connection {
  const known = addresses.map(address => ({ address, family: isIP(address) }))
  const lookupKnown: LookupFunction = (_hostname, options, done) => {
    if (options.all) done(null, known)
    else done(null, known[0]!.address, known[0]!.family)
  }
  return { lookup: lookupKnown }
}

function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const over = new Promise<never>((_done, fail) => {
    signal.addEventListener('abort', () => fail(signal.reason), { once: true })
  })
  return Promise.race([work, over])
}

/** Public by its number but private in use: the platform address of one cloud, reachable only from inside of it. */
const PRIVATE_SERVICES = new Set(['168.63.129.16'])
const GLOBAL_IPV6 = 0x2000
const GLOBAL_IPV6_MASK = 0xe000

/**
 * Returns whether an IP address is in the public network, and not a private, loopback, link-local, shared, mapped, tunnelled or
 * reserved one.
 */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text)
  if (!address || address.range() !== 'unicast' || PRIVATE_SERVICES.has(address.toString())) return false
  return address.kind() === 'ipv4' || isGlobal(address as IPv6)
}

// Only 2000::/3 has been assigned; the rest is "unicast" by name only.
const isGlobal = ({ parts }: IPv6): boolean => ((parts[0] ?? 0) & GLOBAL_IPV6_MASK) === GLOBAL_IPV6

// The library also parses `1.2.3` and other old spellings; a resolver returns none of them.
const parseAddress = (text: string): IPv4 | IPv6 | undefined => (isIP(text) ? ipaddr.parse(text) : undefined)
