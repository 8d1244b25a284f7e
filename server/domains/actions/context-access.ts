import { getAccessToken, getMachineToken } from '#server/domains/oauth-client'
import { requireCredential } from '#server/domains/vault'
import type { App } from '#server/foundation/app-context'
import { AppError } from '#server/foundation/http/app-error'
import type { Session } from '#shared/schemas/session'
import { contextPeers } from './context-peers'

/** Tokens of external providers that an action asks for. */
export interface ContextTokens {
  /** An access token of the caller, good for five more minutes; throws `connection-required` with the place to connect. */
  get(provider: string): Promise<string>
  /** An access token of this application itself. */
  machine(provider: string): Promise<string>
}

/** Credentials of the vault that an action asks for. */
export interface ContextCredentials {
  /** The caller's own, else their organization's; throws `credential-required` with the place to add it. */
  get(key: string): Promise<string>
}

/** What an action may ask for on behalf of its caller; nothing is read before it does, and the signal ends what goes over the network to other applications. */
export const contextAccess = (app: App, session: Session | null, signal: AbortSignal) => ({
  tokens: {
    get: async (provider: string) => getAccessToken(app, caller(session).userId, provider),
    machine: async (provider: string) => getMachineToken(app, provider),
  } satisfies ContextTokens,
  credentials: {
    get: async (key: string) => requireCredential(app, caller(session), key),
  } satisfies ContextCredentials,
  peers: contextPeers(app, session, signal),
})

function caller(session: Session | null): Session {
  if (!session) throw new AppError('unauthenticated')
  return session
}
