import { bodyLimits } from '#fairway/server/kernel/limits/limits'
import { z } from 'zod'
import { type GuardedAnswer, type GuardedFetch, GuardedFetchError } from '#fairway/server/kernel/http/guarded-fetch'
import { OAuthError } from '../oauth-error'
import { type OAuthClient, refusedClient } from './client'
import { parseClientMetadata, renewsBy } from './client-metadata'

const FETCH_LIMITS = { maxBytes: bodyLimits.clientDocument, limitInMs: 5000 }
const LONGEST_LIFE_IN_SECONDS = 300

export interface FetchedDocument {
  /** Null when the kept one is still right. */
  client: OAuthClient | null
  etag: string | null
  lifeInSeconds: number
}

/** Fetches the metadata document of a client and checks it; with the `etag` of the kept one, the answer may be that nothing changed. Throws `invalid_client`. */
export async function fetchDocument(
  guardedFetch: GuardedFetch,
  clientId: string,
  etag: string | null,
): Promise<FetchedDocument> {
  const headers = { accept: 'application/json', ...(etag ? { 'if-none-match': etag } : {}) }
  const answer = await guardedFetch(clientId, { ...FETCH_LIMITS, headers }).catch((error: unknown) => {
    if (error instanceof GuardedFetchError) throw refused(error.message, error)
    throw error
  })
  const kept = { etag: answer.header('etag')?.slice(0, 200) ?? null, lifeInSeconds: lifeOf(answer) }
  if (answer.status === 304 && etag) return { client: null, ...kept, etag: kept.etag ?? etag }
  if (answer.status !== 200) {
    const reason = `it answered ${answer.status}`
    throw refused(reason, isWithheld(answer.status) ? new WithheldDocument(reason) : undefined)
  }
  if (!isJson(answer.header('content-type'))) throw refused('it is not JSON')
  return { client: toClient(clientId, parseJson(answer.text)), ...kept }
}

/** Its server keeps the document back for now, as shields in front of servers do; that says nothing about the document. */
export class WithheldDocument extends Error {}

const isWithheld = (status: number): boolean => status === 403 || status === 429 || status >= 500

const documentSchema = z.object({
  client_id: z.string(),
  client_name: z.string().min(1),
  // Nobody tells a document what it is registered as, so it must say so itself.
  token_endpoint_auth_method: z.literal('none').nullish(),
  client_secret: z.undefined().optional(),
  client_secret_expires_at: z.undefined().optional(),
  jwks: z.object({ keys: z.array(z.object({ d: z.undefined().optional(), k: z.undefined().optional() })) }).nullish(),
})

function toClient(clientId: string, document: unknown): OAuthClient {
  const own = documentSchema.safeParse(document)
  if (!own.success) throw refused(`its ${String(own.error.issues[0]?.path[0] ?? 'content')} is missing or not allowed`)
  if (own.data.client_id !== clientId) throw refused('it is about another client_id')
  try {
    const { name, redirectUris, applicationType, grantTypes } = parseClientMetadata(document)
    if (name === null) throw refused('its client_name is empty')
    const host = new URL(clientId).hostname
    return { id: clientId, name, source: 'document', host, redirectUris, applicationType, renews: renewsBy(grantTypes) }
  } catch (error) {
    if (!(error instanceof OAuthError) || error.error !== 'invalid_client_metadata') throw error
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

/** How long an answer may be kept by its own word (RFC 9111), five minutes at most. */
function lifeOf(answer: GuardedAnswer): number {
  const control = answer.header('cache-control')?.toLowerCase() ?? ''
  if (/\bno-(?:store|cache)\b/.test(control)) return 0
  const maxAge = /\bmax-age="?(\d{1,9})/.exec(control)?.[1]
  const age = Number(/^\d{1,9}$/.exec(answer.header('age') ?? '')?.[0] ?? 0)
  if (maxAge === undefined) return LONGEST_LIFE_IN_SECONDS
  return Math.min(LONGEST_LIFE_IN_SECONDS, Math.max(0, Number(maxAge) - age))
}
