import { z } from 'zod'
import type { App } from '#server/foundation/app-context'
import { fetchJson } from '#server/foundation/http/fetch-json'

const answerSchema = z.object({ access_token: z.string().min(1), id_token: z.string().optional() })

interface ExchangeCodeInput {
  tokenUrl: string
  clientId: string
  clientSecret: string
  clientAuthentication: 'basic' | 'post'
  code: string
  codeVerifier: string
  /** The same address that the authorization request named. */
  redirectUri: string
  signal: AbortSignal
}

/** Exchanges an authorization code for tokens (RFC 6749 §4.1.3 with RFC 7636 §4.5); throws when the provider refuses. */
export async function exchangeCode(app: App, input: ExchangeCodeInput) {
  const { clientId, clientSecret } = input
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code: input.code,
    redirect_uri: input.redirectUri,
    code_verifier: input.codeVerifier,
  })
  const headers: Record<string, string> = {}
  if (input.clientAuthentication === 'basic')
    headers.authorization = `Basic ${basicCredentials(clientId, clientSecret)}`
  else {
    form.set('client_id', clientId)
    form.set('client_secret', clientSecret)
  }
  const answer = await fetchJson(app, input.tokenUrl, { method: 'POST', headers, form, signal: input.signal })
  const parsed = answerSchema.safeParse(answer)
  if (!parsed.success) throw new Error('the token endpoint answered without a token')
  return { accessToken: parsed.data.access_token, idToken: parsed.data.id_token }
}

// RFC 6749 §2.3.1: both parts are form-encoded before they are joined.
const basicCredentials = (id: string, secret: string): string =>
  Buffer.from([id, secret].map(formEncoded).join(':')).toString('base64')

const formEncoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1)
