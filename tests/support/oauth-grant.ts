import { createApp } from '#fairway/server/compose'
import { grantAndIssueCode } from '#fairway/server/domains/oauth-server'
import type { App } from '#fairway/server/kernel/app-context'
import { defineFwConfig } from '#fairway/server/kernel/config/fw-config'
import { createCodeVerifier, toCodeChallenge } from '#fairway/server/kernel/crypto/random'
import type { Scope } from '#fairway/shared/scopes'
import type { Session } from '#fairway/shared/schemas/session'
import type { TestServer } from './server'
import { databaseOf } from './server'

export const CLIENT_ID = 'https://host.example.com/client.json'
export const REDIRECT_URI = 'http://127.0.0.1:51234/callback'
export const ALL_SCOPES: readonly Scope[] = ['mcp:read', 'mcp:write', 'offline_access']

/** Approves a host on behalf of a person; returns the fields of the token request that follows. */
export async function approve(
  app: App,
  person: Session,
  input: {
    scope?: readonly Scope[]
    mayDelete?: boolean
    asksFirst?: boolean
    clientId?: string
    redirectUri?: string
    sessionId?: string | null
    mustSign?: boolean
    provedSecondFactor?: boolean
  } = {},
) {
  const {
    scope = ALL_SCOPES,
    mayDelete = true,
    asksFirst = true,
    clientId = CLIENT_ID,
    redirectUri = REDIRECT_URI,
    sessionId = null,
    mustSign = false,
    provedSecondFactor,
  } = input
  const verifier = createCodeVerifier()
  const code = await grantAndIssueCode(app, {
    clientId,
    clientName: 'Host',
    userId: person.userId,
    email: person.email,
    provider: person.provider,
    provedSecondFactor,
    orgId: person.orgId ?? '',
    sessionId,
    scope,
    mayDelete,
    asksFirst,
    mustSign,
    resource: `${app.config.baseUrl}/mcp`,
    redirectUri,
    codeChallenge: toCodeChallenge(verifier),
  })
  return {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  }
}

/** The fields of a refresh request. */
export const renewal = (refreshToken: string | undefined, clientId = CLIENT_ID) => ({
  grant_type: 'refresh_token',
  client_id: clientId,
  refresh_token: refreshToken ?? '',
})

/** The server's app context in this process: a second instance on the same database with the same secret. */
export const instanceBeside = (server: TestServer): Promise<App> =>
  createApp({
    env: {
      NODE_ENV: 'test',
      DATABASE_URL: databaseOf(server),
      FW_BASE_URL: server.origin,
      BETTER_AUTH_SECRET: server.secret,
    },
    fwConfig: defineFwConfig({}),
    write: () => {},
  })

/** Posts a form as a host does, without cookies. */
export const postForm = (url: string, form: Record<string, string> | string, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
  })
