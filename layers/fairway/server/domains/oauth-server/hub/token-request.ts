import { z } from 'zod'
import { TokenRefusal } from './token-refusal'

const field = z.string().min(1).max(2048)

const requestSchema = z
  .object({
    code: field,
    /** RFC 7636 §4.1. */
    code_verifier: z.string().regex(/^[A-Za-z0-9\-._~]{43,128}$/),
    client_id: field,
    redirect_uri: field,
  })
  .transform(({ code, code_verifier: verifier, client_id: clientId, redirect_uri: redirectUri }) => ({
    code,
    verifier,
    clientId,
    redirectUri,
  }))

/** What an application brings to have a code redeemed. */
export type TokenRequest = z.output<typeof requestSchema>

/** Reads the fields of a request; throws TokenRefusal, and nothing is used up by it. */
export function readTokenRequest(fields: Record<string, unknown>): TokenRequest {
  const { grant_type: grantType } = fields
  if (grantType === undefined || grantType === '') throw new TokenRefusal('invalid_request', 'grant_type is missing.')
  if (grantType !== 'authorization_code') {
    throw new TokenRefusal('unsupported_grant_type', 'grant_type is authorization_code.')
  }
  const parsed = requestSchema.safeParse(fields)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new TokenRefusal('invalid_request', `${String(issue?.path[0] ?? 'A field')} is missing or not well formed.`)
}
