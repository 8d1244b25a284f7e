import type { App } from '#fairway/server/kernel/app-context'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import type { ErrorCode } from '#fairway/shared/errors'
import { CONNECTIONS_PAGE } from '#fairway/shared/paths'
import { signInPathFor } from '#fairway/shared/sign-in-path'
import { rateLimit } from '../../kernel/limits/rate-limit'
import { limits } from '../../kernel/limits/limits'
import { recordSecurityEvent } from '../../kernel/security-events/record-security-event'
import { ConnectionFailure, toConnectionFailure } from './connection-failure'
import { connectionStateCookie, redeemConnectionState } from './connection-state'
import { exchangeCode } from './exchange-code'
import { requireProvider } from './provider-registry'
import { saveConnection } from './save-connection'

interface EndInput {
  /** Who is signed in in this browser now. */
  userId: string | null
  query: URLSearchParams
  clientAddress: string
  cookieHeader?: string
  requestId: string
}

interface EndedConnection {
  /** The path to go on to, or the sign-in page with what went wrong. */
  location: string
  setCookie?: string
}

type Way = NonNullable<Awaited<ReturnType<typeof redeemConnectionState>>>

/** Ends connecting an account: state first, then the code, then the ID token. What goes wrong is an event and leads to the sign-in page. */
export async function endConnection(app: App, input: EndInput): Promise<EndedConnection> {
  await rateLimit(app, limits.callbackPerAddress, addressKey(input.clientAddress))
  const state = single(input.query, 'state')
  const isOurs = state !== undefined && connectionStateCookie.has(state, input.cookieHeader, app.config)
  const setCookie = isOurs ? connectionStateCookie.without(state, input.cookieHeader, app.config) : undefined
  const way = isOurs ? await redeemConnectionState(app, state) : undefined
  try {
    checkWay(way, input)
    const provider = requireProvider(app, way.provider)
    const { tokens, account } = await exchangeCode(app, provider, { ...way, query: input.query, state: state ?? '' })
    await saveConnection(app, { userId: way.userId, provider: provider.id, tokens, scopes: provider.scopes, account })
    return { location: withConnected(way.returnPath, provider.id), setCookie }
  } catch (error) {
    const failure = toConnectionFailure(error)
    const { clientAddress, requestId } = input
    await recordSecurityEvent(app, {
      kind: failure.kind,
      subject: way?.provider,
      userId: way?.userId,
      clientAddress,
      requestId,
      reason: failure.message,
    })
    return { location: signInPath(failure.code, way), setCookie }
  }
}

/** RFC 6749 §3.1: a parameter that is there twice is as good as none. */
function single(query: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = query.getAll(name)
  return value && more.length === 0 ? value : undefined
}

function checkWay(way: Way | undefined, { userId }: EndInput): asserts way is Way {
  const invalid = (reason: string) =>
    new ConnectionFailure(reason, { kind: 'state-validation-failed', code: 'connection-state-invalid' })
  if (!way) throw invalid('the state is missing, was used, or belongs to another browser')
  if (way.isExpired) throw invalid('the state has ended')
  if (way.userId !== userId) {
    const code = 'connection-account-refused'
    throw new ConnectionFailure('somebody else is signed in now', { kind: 'state-validation-failed', code })
  }
}

function withConnected(path: string, provider: string): string {
  const url = new URL(path, 'http://any')
  url.searchParams.set('connected', provider)
  return url.pathname + url.search + url.hash
}

// The way back of a signed-in person; the sign-in page takes them there and says what went wrong.
const signInPath = (error: ErrorCode, way: Way | undefined): string =>
  signInPathFor({ error, returnPath: way?.returnPath ?? CONNECTIONS_PAGE })
