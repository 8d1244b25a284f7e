import { z } from 'zod'
import { knownScopes } from '#fairway/shared/scopes'
import { OAuthError } from '../oauth-error'
import { applicationTypeOf, redirectKind, redirectUriFault } from './redirect-uri'

const MOST_REDIRECTS = 20
const LONGEST_NAME = 120
const LONGEST_URI = 2048
const REFRESH_TOKEN = 'refresh_token'
const GRANT_TYPES = ['authorization_code', REFRESH_TOKEN]

/** What a client says of itself (RFC 7591 §2), as far as it means something here; all other members are ignored. */
const metadataSchema = z.object({
  redirect_uris: z
    .array(z.string('redirect_uris is a list of addresses.'), 'redirect_uris is a list of addresses.')
    .min(1, 'redirect_uris names one address at least.')
    .max(MOST_REDIRECTS, `redirect_uris names ${MOST_REDIRECTS} addresses at most.`),
  client_name: z.string('client_name is a text.').nullish(),
  client_uri: z.unknown().optional(),
  // Whatever it asks for it is registered as a public client, and told so (RFC 7591 §3.2.1).
  token_endpoint_auth_method: z.string('token_endpoint_auth_method is a text.').nullish(),
  application_type: z.enum(['web', 'native'], 'application_type is web or native.').nullish(),
  grant_types: z.array(z.string(), 'grant_types is a list.').nullish(),
  response_types: z.array(z.string(), 'response_types is a list.').nullish(),
  scope: z.string('scope is a text.').max(1024, 'scope is too long.').nullish(),
})

export interface ClientMetadata {
  redirectUris: string[]
  name: string | null
  clientUri: string | null
  applicationType: 'web' | 'native'
  grantTypes: string[]
  /** The scopes it named and that exist; undefined when it named none. */
  scope?: string
}

/** Reads the metadata of a client, from a registration or a document; throws `invalid_client_metadata` with what to change. */
export function parseClientMetadata(input: unknown): ClientMetadata {
  const parsed = metadataSchema.safeParse(input)
  if (!parsed.success) throw refusedMetadata(parsed.error.issues[0]?.message ?? 'The metadata is not a JSON object.')
  const { redirect_uris: redirectUris, scope, ...rest } = parsed.data
  for (const uri of redirectUris) {
    const fault = redirectUriFault(uri)
    if (fault) throw refusedMetadata(fault)
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
    ...(known ? { scope: known } : {}),
  }
}

/** Whether a client with these grant types means to stay connected. */
export const renewsBy = (grantTypes: readonly string[]): boolean => grantTypes.includes(REFRESH_TOKEN)

export const refusedMetadata = (description: string): OAuthError =>
  new OAuthError('invalid_client_metadata', description)

/** A name as it may be shown: one line, no control or direction characters, 120 characters at most; null when nothing is left. */
export function cleanName(text: string): string | null {
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
    throw refusedMetadata('A web application has no private-use redirect URI.')
  }
  return named ?? derived
}

// The default is that of RFC 7591 §2.
function knownGrantTypes(named: string[] | null | undefined): string[] {
  if (!named) return ['authorization_code']
  const known = GRANT_TYPES.filter(type => named.includes(type))
  if (!known.includes('authorization_code')) throw refusedMetadata('grant_types includes authorization_code.')
  return known
}

// It is shown at most, never fetched; what is no address of a web page is left out.
function webAddress(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > LONGEST_URI || !URL.canParse(value)) return null
  const url = new URL(value)
  return url.protocol === 'https:' && !url.username && !url.password ? url.href : null
}
