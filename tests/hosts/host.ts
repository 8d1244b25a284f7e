/** What is tried with each host, in this order: the columns of docs/hosts.md, and what each of them means. */
export const STEPS = {
  discover: 'finds the authorization server from the address of the endpoint',
  client: 'is known to it: by its metadata document where documents are offered, else by registering itself',
  authorize: 'is sent back with a code, its state and the issuer when the person agrees',
  token: 'exchanges the code for an access token, and a refresh token for staying connected',
  list: 'lists the tools, in schemas without a dialect that its validator would have to know',
  call: 'calls a tool that reads and one that writes; a client, the tool of a list with a filter too',
  parallel: 'goes on when several calls at once find the access token over',
  refresh: 'renews once more after that, with what the renewals at once have left it',
  crossed: 'stays connected when a renewal arrives after two others have replaced its token',
  fewer: 'works with fewer scopes than it asked for, and is told which ones something else needs',
  revoked: 'notices that the person has ended the connection, and asks again',
} as const

export type Step = keyof typeof STEPS

/** One host that is under way: what each step does; a step throws where it fails. */
export type HostRun = Record<Step, () => Promise<unknown>> & { stop(): Promise<unknown> }

/** A row of docs/hosts.md. */
export interface Host {
  name: string
  version: string
  /** The released program itself, or its requests written down. */
  kind: 'client' | 'sequence'
  /** How it is known to the authorization server. */
  client: 'document' | 'registered'
  /** True for one that asks the person for more when a scope is missing; others say what the server said. */
  asksForMore: boolean
}

/** The name that tests have for a host. */
export const titleOf = ({ name, version, kind, client }: Host): string => `${name} ${version} (${kind}, ${client})`

/** What a host has learned before it sends the person away. */
export interface Discovered {
  /** The scopes of the challenge: those of the 401, or of the 403 that it asks again after. */
  challenged: string
  /** `scopes_supported` of the resource. */
  resourceScopes: string[]
  /** `scopes_supported` of the authorization server. */
  serverScopes: string[]
}

/** What a released host sends and does, as far as hosts differ; each file says where that was seen. */
export interface Sequence {
  name: string
  version: string
  /** The redirect address that it sends; the port was free when it started to listen. */
  redirectUri(port: number, endpoint: string): string
  /** Its metadata document: where it lies and what it says. Hosts use it where it is offered. */
  document?(endpoint: string): { url: string } & Record<string, unknown>
  /** What it registers. Hosts with a document register where documents are not offered. */
  registration?(redirectUri: string): Record<string, unknown>
  /** True for one that registers anew at each start, with the same words. */
  registersAgain?: boolean
  /** How it asks for the first time: by a message, or only to see the challenge. */
  probe: 'POST' | 'GET' | 'HEAD'
  /** The scopes that it asks for. */
  scope(found: Discovered): string | undefined
  /** False for one that names no resource (RFC 8707) in its token requests. */
  namesResource?: boolean
  /** Headers of its token requests. */
  tokenHeaders?(clientId: string): Record<string, string>
  /** False for one whose token requests carry no client_id in the form. */
  namesClient?: boolean
  /** The scopes that it sends when it renews; none when not given. */
  refreshScope?(granted: string): string
  /** Each call that finds the token over renews by itself, or all wait for one renewal. */
  renewal: 'each' | 'one'
  /** True for one that asks the person for more when a scope is missing. */
  asksForMore?: boolean
  /** The revision it speaks. */
  revision: '2025-03-26' | '2025-06-18' | '2025-11-25'
}

/** The scopes with `offline_access` when the server knows it: what most hosts of 2026 ask for (SEP-2207). */
export const withOfflineAccess = (scope: string, { serverScopes }: Pick<Discovered, 'serverScopes'>): string =>
  serverScopes.includes('offline_access') && !scope.split(' ').includes('offline_access')
    ? `${scope} offline_access`
    : scope

/** The rows of a sequence: one with its document where it has one, and one where it registers. */
export function rowsOf({ name, version, document, registration, asksForMore = false }: Sequence): Host[] {
  const ways = [...(document ? (['document'] as const) : []), ...(registration ? (['registered'] as const) : [])]
  return ways.map(client => ({ name, version, kind: 'sequence', client, asksForMore }))
}
