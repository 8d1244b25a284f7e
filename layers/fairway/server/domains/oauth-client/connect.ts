import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit } from '#fairway/server/kernel/limits/rate-limit'
import { endOneTimeStatement } from '#fairway/server/kernel/one-time/one-time'
import { CALLBACK_PATH, CONNECTIONS_PAGE } from '#fairway/shared/paths'
import { type DependentRows, isoTime } from '#fairway/server/kernel/dependent-rows'
import type { AskProvider, ConfiguredProvider, ProviderAccount } from './define-provider'
import type { OpenIdClaims } from './known-providers'
import { authorizationEndpoint, exchangeCode } from './provider-client'
import { ProviderFailure } from './provider-failure'
import { connectionProviders, requireConnectionProvider } from './provider-registry'
import { type Callback, checkBinding, defineFlow, finishRoundTrip, startRoundTrip, withParameter } from './round-trip'
import { saveConnection } from './stored-connections'

const connectionFlow = defineFlow({
  name: 'connection',
  cookie: 'connection_state',
  returnPath: CONNECTIONS_PAGE,
})

/** The callback address for all providers. It must be equal in the authorization request and the exchange. */
const redirectUriOf = (app: App): string => `${app.config.baseUrl}${CALLBACK_PATH}`

const bindingOf = (app: App, { id, clientId }: ConfiguredProvider): string[] => [id, clientId, redirectUriOf(app)]

interface StartInput {
  userId: string
  provider: string
  /** Where to go afterwards; the connections page when it is not a path of this app. */
  returnPath?: unknown
  cookieHeader?: string
}

/**
 * Starts connecting an account (SPEC: External provider integration). Throws `unknown-provider`, `rate-limited`,
 * `provider-unavailable`.
 */
export async function startConnection(app: App, input: StartInput) {
  const provider = requireConnectionProvider(app, input.provider)
  if (provider.grant !== 'authorization_code') throw new AppError('unknown-provider')
  await rateLimit(app, limits.connectionsPerAccount, input.userId)
  const endpoint = await authorizationEndpoint(app, provider).catch((cause: unknown) => {
    throw new AppError('provider-unavailable', { cause })
  })
  return startRoundTrip(app, connectionFlow, {
    endpoint,
    provider: provider.id,
    clientId: provider.clientId,
    redirectUri: redirectUriOf(app),
    parameters: { ...provider.authorizationParameters, scope: provider.scopes.join(' ') },
    usesNonce: provider.openId,
    boundTo: bindingOf(app, provider),
    returnPath: typeof input.returnPath === 'string' ? input.returnPath : CONNECTIONS_PAGE,
    userId: input.userId,
    cookieHeader: input.cookieHeader,
  })
}

interface EndInput extends Callback {
  /** The user who is signed in in this browser now. */
  userId: string | null
}

/**
 * Finishes connecting an account: stores the tokens, or redirects to the sign-in page with the error and the return path. Throws
 * `rate-limited`.
 */
export function endConnection(app: App, input: EndInput) {
  return finishRoundTrip(app, connectionFlow, input, {
    async answer(trip) {
      const { userId } = trip
      if (userId === null || userId !== input.userId) {
        const code = 'connection-account-refused'
        throw new ProviderFailure('state-invalid', 'another user is signed in now', { code })
      }
      const provider = connectionProviders(app).get(trip.provider)
      if (!provider) throw new ProviderFailure('refused', 'the provider is not configured')
      checkBinding(trip, bindingOf(app, provider))
      const answer = { ...trip, query: input.query, redirectUri: redirectUriOf(app) }
      const { tokens, account } = await exchangeCode(app, provider, answer, granted => accountOf(provider, granted))
      await saveConnection(app, { userId, provider: provider.id, tokens, scopes: provider.scopes, account })
      return { location: withParameter(trip.returnPath, 'connected', provider.id) }
    },
  })
}

async function accountOf(
  provider: ConfiguredProvider,
  { claims, ask }: { claims?: OpenIdClaims; ask: AskProvider },
): Promise<ProviderAccount | undefined> {
  if (!claims) return provider.readAccount?.(ask)
  const { sub, email, preferred_username: username, name } = claims
  const label = [email, username, name].find(text => typeof text === 'string' && text !== '')
  return { id: sub, label: typeof label === 'string' ? label : sub }
}

/** Connected accounts count as use of an account, and move with it. */
export const oauthClientRows: DependentRows = {
  uses: userId => [`select 1 from oauth_tokens w where w.user_id = ${userId}`],
  leftByStranger: (clock, { userId }) => [
    { sql: 'delete from oauth_tokens where user_id = ?', args: [userId] },
    // Round trips to a provider that have not finished.
    endOneTimeStatement(clock, [connectionFlow.purpose], userId),
  ],
  movesWithPerson: { oauth_tokens: '1' },
  ofPerson: ({ userId }) => ({
    connections: {
      sql: `select provider, account_label as account, scope, status, ${isoTime('connected_at')} as connectedAt
        from oauth_tokens where user_id = ? order by provider`,
      args: [userId],
    },
  }),
  forgetPerson: ({ userId }) => [{ sql: 'delete from oauth_tokens where user_id = ?', args: [userId] }],
}
