import { bodyLimits } from '#fairway/server/kernel/limits/limits'
import { z } from 'zod'
import { type GuardedAnswer, type GuardedFetch, GuardedFetchError } from '#fairway/server/kernel/http/guarded-fetch'
import { isRecord } from '#fairway/shared/record'
import { knownScopes } from '#fairway/shared/scopes'
import { DEVICE_GRANT } from '../device/device-codes'
import { OAuthError } from '../oauth-error'
import { type ClientSigning, parseAuthentication } from './client-signing'
import { applicationTypeOf, redirectKind, redirectUriFault } from './redirect-uri'

/** An MCP host as this server knows it. Only a managed one has a secret. */
export interface OAuthClient {
  id: string
  /** The client's own name, without control and direction characters; null when it sent none. */
  name: string | null
  /**
   * `document`: described at its own address, so its host is proven. `registered`: it registered itself, and nothing is proven.
   * `managed`: owners of an organization registered it for that organization. `service`: a service account, which acts for itself.
   */
  source: 'document' | 'registered' | 'managed' | 'service'
  /** What the tokens of a service account are bound to: the ID of its key, or the time of its public keys. */
  credential?: string
  /** The organization of a managed client or a service account. */
  orgId?: string
  /** The host of its metadata document, with the port that its address names; null for every other client. */
  host: string | null
  redirectUris: string[]
  applicationType: 'web' | 'native'
  /** Whether it registered the grant type `refresh_token`, so it intends to stay connected. */
  renews: boolean
  /** Whether it registered the grant type of devices (RFC 8628). */
  usesDevices?: boolean
  /** How it signs its token requests; missing for a public client. */
  signing?: ClientSigning
}

/** The refusal of a client; the description may be shown. */
export const refusedClient = (description: string, cause?: unknown): OAuthError =>
  new OAuthError('invalid_client', description, 400, { cause })

/** The reason for the refusal of a client that is not known. */
export const NOT_REGISTERED = 'This app is not registered here.'

const MOST_REDIRECTS = 20
const LONGEST_NAME = 120
const LONGEST_URI = 2048
const REFRESH_TOKEN = 'refresh_token'
const AUTHORIZATION_CODE = 'authorization_code'
const GRANT_TYPES = [AUTHORIZATION_CODE, REFRESH_TOKEN, DEVICE_GRANT]

/** The metadata of a client (RFC 7591 §2) that has a meaning here; all other members are ignored. */
const metadataSchema = z.object({
  redirect_uris: z
    .array(z.string('redirect_uris is a list of addresses.'), 'redirect_uris is a list of one address at least.')
    .max(MOST_REDIRECTS, `redirect_uris names ${MOST_REDIRECTS} addresses at most.`),
  client_name: z.string('client_name is a text.').nullish(),
  client_uri: z.unknown().optional(),
  // Any value is accepted: where it is not possible, the client is registered as public, and the response says so (RFC 7591 §3.2.1).
  token_endpoint_auth_method: z.string('token_endpoint_auth_method is a text.').nullish(),
  application_type: z.enum(['web', 'native'], 'application_type is web or native.').nullish(),
  grant_types: z.array(z.string(), 'grant_types is a list.').nullish(),
  response_types: z.array(z.string(), 'response_types is a list.').nullish(),
  scope: z.string('scope is a text.').max(1024, 'scope is too long.').nullish(),
})

/** The parsed metadata; `scope` has the named scopes that exist. */
export type ClientMetadata = ReturnType<typeof parseClientMetadata>

/**
 * Reads the metadata of a client, from a registration or a document. Throws `invalid_redirect_uri` for an address that codes cannot
 * be sent to, and `invalid_client_metadata` for the rest, with the change to make (RFC 7591 §3.2.2).
 */
export function parseClientMetadata(input: unknown) {
  const said = withoutNeed(withoutEmpty(input))
  const { redirect_uris: redirectUris, scope, ...rest } = readMembers(said)
  for (const uri of redirectUris) {
    const fault = redirectUriFault(uri)
    if (fault) throw refusedRedirect(fault)
  }
  if (rest.response_types && !rest.response_types.includes('code')) {
    throw refusedMetadata('response_types includes code.')
  }
  const known = knownScopes(scope ?? '').join(' ')
  return {
    redirectUris,
    name: cleanName(rest.client_name ?? ''),
    clientUri: webAddress(rest.client_uri),
    applicationType: checkedType(rest.application_type, redirectUris),
    grantTypes: knownGrantTypes(rest.grant_types),
    ...parseAuthentication(said),
    ...(known ? { scope: known } : {}),
  }
}

/** Whether a client with these grant types intends to stay connected. */
export const renewsBy = (grantTypes: readonly string[]): boolean => grantTypes.includes(REFRESH_TOKEN)

/** Whether a client with these grant types may ask for devices. */
export const usesDevicesBy = (grantTypes: readonly string[]): boolean => grantTypes.includes(DEVICE_GRANT)

const refusedMetadata = (description: string): OAuthError => new OAuthError('invalid_client_metadata', description)
const refusedRedirect = (description: string): OAuthError => new OAuthError('invalid_redirect_uri', description)

function readMembers(said: unknown): z.output<typeof metadataSchema> {
  const parsed = metadataSchema.safeParse(said)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const isRedirect = issue?.path[0] === 'redirect_uris' && isRecord(said) && 'redirect_uris' in said
  throw (isRedirect ? refusedRedirect : refusedMetadata)(issue?.message ?? 'The metadata is not a JSON object.')
}

/** The members that say something. Some libraries send an empty list or text for one that they leave out. */
const withoutEmpty = (input: unknown): unknown =>
  isRecord(input) ? Object.fromEntries(Object.entries(input).filter(([, value]) => !isEmpty(value))) : input

/** A client that only devices use needs no redirect address. */
const withoutNeed = (said: unknown): unknown => {
  const types = isRecord(said) && Array.isArray(said.grant_types) ? said.grant_types : []
  const isForDevices = types.includes(DEVICE_GRANT) && !types.includes(AUTHORIZATION_CODE)
  return isRecord(said) && isForDevices ? { redirect_uris: [], ...said } : said
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0)

/**
 * Returns a name that may be shown: one line, no control or direction characters, at most 120 characters; null when it is empty.
 */
function cleanName(text: string): string | null {
  const line = text
    .slice(0, 1000)
    .normalize('NFC')
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return [...line].slice(0, LONGEST_NAME).join('') || null
}

function checkedType(named: 'web' | 'native' | null | undefined, redirectUris: readonly string[]): 'web' | 'native' {
  const derived = applicationTypeOf(redirectUris)
  if (named === 'web' && redirectUris.some(uri => redirectKind(uri) === 'private-use')) {
    throw refusedRedirect('A web application has no private-use redirect URI.')
  }
  return named ?? derived
}

// The default is that of RFC 7591 §2.
function knownGrantTypes(named: string[] | null | undefined): string[] {
  if (!named) return [AUTHORIZATION_CODE]
  const known = GRANT_TYPES.filter(type => named.includes(type))
  if (!known.includes(AUTHORIZATION_CODE) && !usesDevicesBy(known))
    throw refusedMetadata('grant_types includes authorization_code or that of devices.')
  return known
}

// The address is only shown, never fetched. An invalid one is left out.
function webAddress(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > LONGEST_URI || !URL.canParse(value)) return null
  const url = new URL(value)
  return url.protocol === 'https:' && !url.username && !url.password ? url.href : null
}

/** The limits for one fetch from the server of a client. */
export const FETCH_LIMITS = { maxBytes: bodyLimits.clientDocument, limitInMs: 5000 }
const LONGEST_LIFE_IN_SECONDS = 300

/**
 * Fetches the metadata document of a client and checks it. With the `etag` of the stored one, a null client says that it is still
 * current. Throws `invalid_client`.
 */
export async function fetchDocument(guardedFetch: GuardedFetch, clientId: string, etag: string | null) {
  const headers = { accept: 'application/json', ...(etag ? { 'if-none-match': etag } : {}) }
  const answer = await guardedFetch(clientId, { ...FETCH_LIMITS, headers, takesPorts: true }).catch(
    (error: unknown) => {
      if (error instanceof GuardedFetchError) throw refused(error.message, error)
      throw error
    },
  )
  const caching = { etag: answer.header('etag')?.slice(0, 200) ?? null, lifeInSeconds: lifeOf(answer) }
  if (answer.status === 304 && etag) return { client: null, ...caching, etag: caching.etag ?? etag }
  if (answer.status !== 200) {
    const reason = `it answered ${answer.status}`
    throw refused(reason, isWithheld(answer.status) ? new WithheldDocument(reason) : undefined)
  }
  if (!isJson(answer.header('content-type'))) throw refused('it is not JSON')
  return { client: toClient(clientId, parseJson(answer.text)), ...caching }
}

/** The server withholds the document for now, as protective proxies do. That says nothing about the document. */
export class WithheldDocument extends Error {}

/** Whether a response with this status withholds a document. */
export const isWithheld = (status: number): boolean => status === 403 || status === 429 || status >= 500

const documentSchema = z.object({
  client_id: z.string(),
  client_name: z.string().min(1),
  client_secret: z.undefined().optional(),
  client_secret_expires_at: z.undefined().optional(),
})

function toClient(clientId: string, document: unknown): OAuthClient {
  const parsed = documentSchema.safeParse(document)
  if (!parsed.success)
    throw refused(`its ${String(parsed.error.issues[0]?.path[0] ?? 'content')} is missing or not allowed`)
  if (parsed.data.client_id !== clientId) throw refused('it is about another client_id')
  try {
    const { name, redirectUris, applicationType, grantTypes, authMethod, signing } = parseClientMetadata(document)
    if (name === null) throw refused('its client_name is empty')
    // The owner of a document gets no response that says how it is registered, so the document must name a method that is possible.
    if (!authMethod) throw refused('its token_endpoint_auth_method is not none, or private_key_jwt with keys')
    const { host } = new URL(clientId)
    const renews = renewsBy(grantTypes)
    const usesDevices = usesDevicesBy(grantTypes)
    return { id: clientId, name, source: 'document', host, redirectUris, applicationType, renews, usesDevices, signing }
  } catch (error) {
    if (!(error instanceof OAuthError) || error.error === 'invalid_client') throw error
    throw refused(error.description)
  }
}

const refused = (reason: string, cause?: unknown): OAuthError =>
  refusedClient(`The metadata document of the app was not accepted: ${reason}.`.replace(/\.\.$/, '.'), cause)

const isJson = (type: string | undefined): boolean =>
  /^application\/(?:[\w.-]+\+)?json$/i.test((type ?? '').split(';', 1)[0]?.trim() ?? '')

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw refused('it is not JSON', cause)
  }
}

/** How long a response may be cached by its own headers (RFC 9111), in seconds; five minutes at most. */
function lifeOf(answer: GuardedAnswer): number {
  const control = answer.header('cache-control')?.toLowerCase() ?? ''
  if (/\bno-(?:store|cache)\b/.test(control)) return 0
  const maxAge = /\bmax-age="?(\d{1,9})/.exec(control)?.[1]
  const age = Number(/^\d{1,9}$/.exec(answer.header('age') ?? '')?.[0] ?? 0)
  if (maxAge === undefined) return LONGEST_LIFE_IN_SECONDS
  return Math.min(LONGEST_LIFE_IN_SECONDS, Math.max(0, Number(maxAge) - age))
}
