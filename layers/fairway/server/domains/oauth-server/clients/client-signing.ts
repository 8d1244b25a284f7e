// How a client proves itself at the token and revocation endpoints: not at all, or by assertions that it signs (RFC 7523).
import { z } from 'zod'
import { OAuthError } from '../oauth-error'

const SIGNED = 'private_key_jwt'

/** The methods of client authentication, for the metadata. Only managed clients and service accounts have a secret. */
export const AUTH_METHODS = ['none', SIGNED, 'client_secret_basic', 'client_secret_post'] as const
/** The algorithms of client assertions, for the metadata. */
export const ASSERTION_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const
/** The same with the name that RFC 9864 gives to EdDSA with this curve. */
export const ACCEPTED_ALGORITHMS = [...ASSERTION_ALGORITHMS, 'Ed25519'] as const

const notPublic = 'jwks has a private or a symmetric key. Send public keys alone.'
const absent = z.undefined(notPublic).optional()
const keySchema = z.looseObject({
  kty: z.string('Each key of jwks has a kty.').refine(kty => kty !== 'oct', notPublic),
  d: absent,
  k: absent,
})

/** Public keys (RFC 7517 §5). */
export const keySetSchema = z.object(
  { keys: z.array(keySchema, 'jwks has a list of keys.').max(20, 'jwks has 20 keys at most.') },
  'jwks is a set of keys.',
)

/** How a client signs its assertions. The keys are stored here or published at an address. */
export const clientSigningSchema = z.object({
  /** False when it may also send its requests without an assertion. */
  isRequired: z.boolean(),
  /** The only algorithm that it uses; without one, it may use each of ours. */
  alg: z.enum(ACCEPTED_ALGORITHMS).optional(),
  jwks: keySetSchema.optional(),
  jwksUri: z.string().optional(),
})
export type ClientSigning = z.output<typeof clientSigningSchema>

const methodsSchema = z.object({
  token_endpoint_auth_method: z.string().nullish(),
  // Of OpenID Connect RP Metadata Choices: all methods that the client can use. The other member is the one that it prefers.
  token_endpoint_auth_methods_supported: z.array(z.string()).nullish().catch(undefined),
  jwks: keySetSchema.nullish(),
})

const signingMetadataSchema = z.object({
  token_endpoint_auth_signing_alg: z
    .enum(ACCEPTED_ALGORITHMS, `token_endpoint_auth_signing_alg is ${ASSERTION_ALGORITHMS.join(', ')}.`)
    .nullish(),
  jwks: keySetSchema.nullish(),
  jwks_uri: z
    .url({ protocol: /^https$/, error: 'jwks_uri is an https address.' })
    .max(2048, 'jwks_uri is too long.')
    .nullish(),
})

/**
 * Reads how a client authenticates, from a registration or a document. `authMethod` is undefined when it names only methods that
 * are not possible here. Throws `invalid_client_metadata`.
 */
export function parseAuthentication(input: unknown) {
  const metadata = parsed(methodsSchema, input)
  const preferred = metadata.token_endpoint_auth_method ?? undefined
  const named = [preferred ?? [], metadata.token_endpoint_auth_methods_supported ?? []].flat()
  const canBePublic = named.length === 0 || named.includes('none')
  const signing = named.includes(SIGNED) ? parseSigning(input, !canBePublic) : undefined
  const prefersSigning = signing !== undefined && (preferred === SIGNED || !canBePublic)
  return { authMethod: prefersSigning ? SIGNED : canBePublic ? ('none' as const) : undefined, signing }
}

/** Returns undefined when the client has no keys, or signs in a way that is not possible here and does not have to sign. */
function parseSigning(input: unknown, isRequired: boolean): ClientSigning | undefined {
  if (!isRequired && !signingMetadataSchema.safeParse(input).success) return undefined
  const { token_endpoint_auth_signing_alg: alg, jwks, jwks_uri: jwksUri } = parsed(signingMetadataSchema, input)
  const common = { isRequired, ...(alg ? { alg } : {}) }
  if (jwks && jwksUri) throw refused('A client has jwks or jwks_uri, not both.')
  if (jwksUri) return { ...common, jwksUri }
  return jwks && jwks.keys.length > 0 ? { ...common, jwks } : undefined
}

/** The members of a registration response that repeat how a client signs. */
export const signingMetadata = ({ alg, jwks, jwksUri }: ClientSigning) => ({
  ...(alg ? { token_endpoint_auth_signing_alg: alg } : {}),
  ...(jwks ? { jwks } : { jwks_uri: jwksUri }),
})

function parsed<Output>(schema: z.ZodType<Output>, input: unknown): Output {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  throw refused(result.error.issues[0]?.message ?? 'The metadata is not a JSON object.')
}

const refused = (description: string): OAuthError => new OAuthError('invalid_client_metadata', description)
