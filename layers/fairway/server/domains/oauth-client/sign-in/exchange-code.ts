import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { plainLine } from '#fairway/server/kernel/events/log'
import {
  type ClientAuthentication,
  FailedAnswerError,
  fetchJson,
  type Refusal,
  refusalSchema,
} from '#fairway/server/kernel/http/fetch-json'
import { CallbackFailure } from './callback-failure'

const tokenSchema = z.object({ access_token: z.string().min(1), id_token: z.string().optional() })
// GitHub answers a refusal with 200.
const answerSchema = z.union([tokenSchema, refusalSchema])

interface ExchangeCodeInput {
  tokenUrl: string
  clientId: string
  clientSecret: string
  clientAuthentication: ClientAuthentication
  code: string
  codeVerifier: string
  /** The same address that the authorization request named. */
  redirectUri: string
  signal: AbortSignal
}

/** Exchanges an authorization code for tokens (RFC 6749 §4.1.3 with RFC 7636 §4.5); throws CallbackFailure with what the provider refuses. */
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
  const { tokenUrl: url, signal } = input
  const answer = await fetchJson(app, url, { method: 'POST', headers, form, signal }).catch(refuse)
  const { data } = answerSchema.safeParse(answer)
  if (!data) throw new Error('the token endpoint answered without a token')
  if ('error' in data) throw refusalFailure(data)
  return { accessToken: data.access_token, idToken: data.id_token }
}

function refuse(error: unknown): never {
  if (error instanceof FailedAnswerError) {
    if (error.refusal) throw refusalFailure(error.refusal)
    // RFC 6749 §5.2: the status alone says that it is the client.
    if (error.status === 401) throw refusalFailure({ error: 'invalid_client' })
  }
  throw error
}

const CLIENT_REFUSED = { kind: 'provider-client-refused', code: 'sign-in-client-refused' } as const
const CODE_REFUSED = { kind: 'callback-failed', code: 'sign-in-code-refused' } as const

/** What the words of RFC 6749 §5.2 and those of GitHub mean for somebody who signs in. */
const refusals = new Map<string, typeof CLIENT_REFUSED | typeof CODE_REFUSED>([
  ['invalid_client', CLIENT_REFUSED],
  ['unauthorized_client', CLIENT_REFUSED],
  ['incorrect_client_credentials', CLIENT_REFUSED],
  ['invalid_grant', CODE_REFUSED],
  ['bad_verification_code', CODE_REFUSED],
])

function refusalFailure({ error, error_description: description }: Refusal): CallbackFailure {
  const reason = plainLine([error, description].filter(Boolean).join(': '))
  return new CallbackFailure({ ...(refusals.get(error) ?? { kind: 'callback-failed' }), reason })
}

// RFC 6749 §2.3.1: both parts are form-encoded before they are joined.
const basicCredentials = (id: string, secret: string): string =>
  Buffer.from([id, secret].map(formEncoded).join(':')).toString('base64')

const formEncoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1)
