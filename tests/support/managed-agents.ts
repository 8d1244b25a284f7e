import { randomUUID } from 'node:crypto'
import { type CryptoKey, type JWTPayload, SignJWT } from 'jose'
import { type Actor, addConnection, setManagedAgents } from '#fairway/server/domains/organizations'
import { answerTokenRequest } from '#fairway/server/domains/oauth-server'
import { addManagedClient } from '#fairway/server/domains/oauth-server/clients/managed-clients'
import type { App } from '#fairway/server/kernel/app-context'
import type { Session } from '#fairway/shared/schemas/session'
import { type ClientKey, makeClientKey } from './client-assertion'
import { query } from './query'
import { serveListener } from './web-server'

export const ASSERTION_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
export const ID_JAG = 'oauth-id-jag+jwt'

export interface AssertionIssuer {
  issuer: string
  origin: string
  key: ClientKey
  /** The paths that were requested. */
  requested: string[]
  /** Publishes another key from now on. */
  rotate(): Promise<ClientKey>
  /** Answers 503 from now on. */
  fail(): void
  stop(): Promise<void>
}

/** An issuer of assertions: its metadata and its keys, on a free port. Nobody can sign in there. */
export async function startAssertionIssuer(path = ''): Promise<AssertionIssuer> {
  const requested: string[] = []
  let key = await makeClientKey('RS256')
  let isAway = false
  const server = await serveListener((request, response) => {
    requested.push(request.url ?? '')
    const issuer = server.origin + path
    const body = {
      [`${path}/.well-known/openid-configuration`]: { issuer, jwks_uri: `${issuer}/keys` },
      [`${path}/keys`]: { keys: [key.jwk] },
    }[request.url ?? '']
    if (isAway || !body) response.writeHead(isAway ? 503 : 404).end()
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  })
  return {
    issuer: server.origin + path,
    origin: server.origin,
    get key() {
      return key
    },
    requested,
    rotate: async () => (key = await makeClientKey('RS256')),
    fail: () => void (isAway = true),
    stop: server.stop,
  }
}

/** What a test changes: claims (undefined leaves one out), header and key. */
export interface Differing {
  claims?: JWTPayload
  header?: { alg?: string; typ?: string; kid?: string }
  key?: CryptoKey | Uint8Array
}

/** Signs an assertion for a client about a person, as the customer's provider does. */
export function signIdJag(
  { issuer, key }: AssertionIssuer,
  { clientId, sub, baseUrl, now = Date.now() }: { clientId: string; sub: string; baseUrl: string; now?: number },
  { claims, header, key: other }: Differing = {},
): Promise<string> {
  const iat = Math.floor(now / 1000)
  const payload = { iss: issuer, sub, aud: baseUrl, client_id: clientId, jti: randomUUID(), iat, exp: iat + 300 }
  return new SignJWT({ ...payload, ...claims })
    .setProtectedHeader({ alg: 'RS256', typ: ID_JAG, kid: key.kid, ...header })
    .sign(other ?? key.privateKey)
}

/** The header of `client_secret_basic` (RFC 6749 §2.3.1). */
export const basicHeader = (id: string, secret: string): string =>
  `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`

/** An actor of the organization that a person works in. */
export const actorOf = ({ orgId, userId, orgRole, ...session }: Session): Actor =>
  ({ orgId, userId, role: orgRole, session: { ...session, orgId, userId, orgRole } }) as unknown as Actor

/** Adds an active connection with managed agents to an organization; `agents` are their issuers. */
export async function addAgentConnection(app: App, owner: Session, issuer: string, agents: string[] | null = null) {
  const row = await addConnection(app, actorOf(owner), {
    name: 'Larch login',
    issuer,
    clientId: 'fairway',
    clientAuth: 'secret',
    domain: null,
    provision: false,
    defaultRole: 'member',
  })
  await query(app, `update fw_org_connections set state = 'active' where id = ?`, [row.id])
  return setManagedAgents(app, { ...row, state: 'active' }, { managedAgents: true, assertionIssuers: agents })
}

/** Links a person to a connection, as their first sign-in by it does. */
export const linkTo = (app: App, { userId }: Pick<Session, 'userId'>, connectionId: string, sub: string) =>
  query(
    app,
    'insert into accounts (id, user_id, account_id, provider_id, created_at, updated_at) values (?, ?, ?, ?, 0, 0)',
    [randomUUID(), userId, sub, `connection:${connectionId}`],
  )

export interface Agent {
  clientId: string
  clientSecret: string
}

/** Registers a managed client in an organization. */
export const addAgent = (app: App, owner: Session, redirectUris: string[] = []): Promise<Agent> =>
  addManagedClient(app, actorOf(owner), { name: 'Larch agent', redirectUris })

/** Sends an assertion as this agent. */
export const sendAssertion = (
  app: App,
  { clientId, clientSecret }: Agent,
  assertion: string,
  form: Record<string, string> = {},
) =>
  answerTokenRequest(app, {
    form: { grant_type: ASSERTION_GRANT, assertion, ...form },
    authorization: basicHeader(clientId, clientSecret),
  })
