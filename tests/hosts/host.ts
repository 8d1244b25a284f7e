/** The steps that are tested with each host, in this order: the columns of docs/hosts.md with their meaning. */
export const STEPS = {
  discover: 'finds the authorization server from the address of the endpoint',
  client: 'identifies itself, by its metadata document if the server accepts documents, or by registering',
  authorize: 'receives a code, its state and the issuer after the person agrees',
  token: 'exchanges the code for an access token and a refresh token',
  list: 'lists the tools; the schemas need no special dialect',
  call: 'calls a tool that reads and a tool that writes; clients also call the tool of a list with a filter',
  parallel: 'continues when several parallel calls find the access token expired',
  refresh: 'renews again afterwards, with the token that those parallel renewals returned',
  crossed: 'stays connected when a renewal arrives after two others have replaced its token',
  fewer: 'works with fewer scopes than it requested, and learns which scopes another call requires',
  revoked: 'notices that the person disconnected it, and asks again',
} as const

export type Step = keyof typeof STEPS

/** One running host: a function per step, which throws when the step fails. */
export type HostRun = Record<Step, () => Promise<unknown>> & { stop(): Promise<unknown> }

/** A row of docs/hosts.md. */
export interface Host {
  name: string
  version: string
  /** The released program, or a recorded sequence of its requests. */
  kind: 'client' | 'sequence'
  /** How the authorization server identifies the host. */
  client: 'document' | 'registered'
  /** True when the host asks the person for more after a missing scope; other hosts only report the error. */
  asksForMore: boolean
  /** What was tested: the released program, or a recording with its source and date. */
  tested: string
}

/** The name of a host in test titles. */
export const titleOf = ({ name, version, kind, client }: Host): string => `${name} ${version} (${kind}, ${client})`

/** The scopes that a host has discovered before the sign-in. */
export interface Discovered {
  /** The scopes in the challenge: of the 401, or of the 403 that made it ask again. */
  challenged: string
  /** `scopes_supported` of the resource. */
  resourceScopes: string[]
  /** `scopes_supported` of the authorization server. */
  serverScopes: string[]
}

/** The requests and the behavior of a released host, where hosts differ. Each file names its sources. */
export interface Sequence {
  name: string
  version: string
  /** What each way of identification was recorded from, with its date or version. */
  recordedFrom: Partial<Record<Host['client'], string>>
  /** The redirect address that it sends. The port was free when it started to listen. */
  redirectUri(port: number, endpoint: string, client: Host['client']): string
  /**
   * The address and content of its metadata document, as its vendor publishes them. Hosts use it when the server supports
   * documents. With `private_key_jwt` as its method, the host signs its token requests.
   */
  document?(endpoint: string): { url: string } & Record<string, unknown>
  /** Its registration. Hosts with a document register when the server does not support documents. */
  registration?(redirectUri: string): Record<string, unknown>
  /** True when it repeats the same registration at each start. */
  registersAgain?: boolean
  /** The method of its first request: a message, or a request only for the challenge. */
  probe: 'POST' | 'GET' | 'HEAD'
  /** The requested scopes. */
  scope(found: Discovered): string | undefined
  /** False when its token requests contain no resource (RFC 8707). */
  namesResource?: boolean
  /** Additional headers of its token requests. */
  tokenHeaders?(clientId: string): Record<string, string>
  /** False when the form of its token requests contains no client_id. */
  namesClient?: boolean
  /** The scopes in a refresh request; none by default. */
  refreshScope?(granted: string): string
  /** With an expired token, each call refreshes separately (`each`), or all calls wait for one refresh (`one`). */
  renewal: 'each' | 'one'
  /** True when it asks the person for more after a missing scope. */
  asksForMore?: boolean
  /** The protocol revision that it uses. */
  revision: '2025-03-26' | '2025-06-18' | '2025-11-25'
}

/** Adds `offline_access` when the server supports it, as most hosts of 2026 do (SEP-2207). */
export const withOfflineAccess = (scope: string, { serverScopes }: Pick<Discovered, 'serverScopes'>): string =>
  serverScopes.includes('offline_access') && !scope.split(' ').includes('offline_access')
    ? `${scope} offline_access`
    : scope

/** The rows of a sequence: one for its document and one for its registration, if it has them. */
export function rowsOf({ name, version, recordedFrom, document, registration, asksForMore = false }: Sequence): Host[] {
  const ways = [...(document ? (['document'] as const) : []), ...(registration ? (['registered'] as const) : [])]
  return ways.map(client => {
    const tested = `recording: ${recordedFrom[client] ?? 'nothing published'}`
    return { name, version, kind: 'sequence', client, asksForMore, tested }
  })
}
