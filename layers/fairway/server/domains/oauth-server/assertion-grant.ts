// Enterprise-managed authorization: an assertion of a customer's provider takes the place of the consent page (ID-JAG,
// draft-ietf-oauth-identity-assertion-authz-grant-04). What follows is an ordinary grant.
import { decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose'
import { z } from 'zod'
import { findDirectoryUser } from '#fairway/server/domains/directory'
import { isEntra, SIGNATURES } from '#fairway/server/domains/oauth-client'
import { type AgentConnection, findAgentConnections, findMembership } from '#fairway/server/domains/organizations'
import { linkedUserOf } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { claimOneTime } from '#fairway/server/kernel/one-time/one-time'
import { connectionProvider } from '#fairway/shared/connection-provider'
import { DEFAULT_SCOPES, MCP_SCOPES, type McpScope, SUPPORTED_SCOPES } from '#fairway/shared/scopes'
import { checkResource, type TokenAnswer, tokenAnswer } from './access-token'
import type { Authenticated } from './authenticate-client'
import { grantByAssertion } from './asserted-grants'
import { keysOfIssuer } from './clients/client-keys'
import type { OAuthClient } from './clients/client-metadata'
import { OAuthError } from './oauth-error'
import { type Fields, refusedGrant, refuseSuspended, requireField } from './token-request'

export const ASSERTION_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
export const ASSERTION_PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag'

const TYPE = 'oauth-id-jag+jwt'
const MOST_LIFE_IN_SECONDS = 300
const SKEW_IN_SECONDS = 30
/** The ids (`jti`) of used assertions, by issuer. All instances refuse them a second time. */
const USED = { name: 'id-jag' }

/**
 * Exchanges an assertion for an access token, without a refresh token. Throws `invalid_client` for a public client,
 * `unauthorized_client` for one that registered itself, `invalid_grant` for an assertion that is not accepted, and `invalid_scope`.
 */
export async function exchangeAssertion(
  app: App,
  fields: Fields,
  { client, network }: Authenticated & { network: string },
): Promise<TokenAnswer> {
  const agent = requireAgent(client)
  const assertion = requireField(fields, 'assertion')
  checkResource(app.config, fields.resource)
  const requested = askedScopes(fields.scope)
  try {
    const { issuer, connections } = await findConnections(app, assertion, agent)
    const claims = await verifyAssertion(app, { assertion, issuer, agent, network })
    const known = await findKnown(app, connections, claims)
    const scopes = grantedScopes(requested, claims.scope)
    const until = new Date((claims.exp + SKEW_IN_SECONDS) * 1000)
    if (!(await claimOneTime(app, USED, `${issuer}\n${claims.jti}`, until))) throw refused('it was used before')
    const grant = await grantByAssertion(app, { agent, issuer, scopes, ...known, ...claims })
    if (!grant) throw refused('the organization does not admit the person, or has ended the access since')
    return await tokenAnswer(app, grant, scopes.join(' '), undefined)
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    app.log.warn('an assertion was refused', { client: agent.id, reason: error.description })
    throw error
  }
}

const refused = (reason: string): OAuthError => refusedGrant(`The assertion was not accepted: ${reason}.`)

/** Anyone can register a client, so only those of owners and those with a document act without a consent. */
function requireAgent(client: OAuthClient | undefined): OAuthClient {
  if (!client) {
    const description = 'An assertion needs a client that authenticates: client_secret_basic or private_key_jwt.'
    const headers = { 'www-authenticate': 'Basic realm="oauth"' }
    throw new OAuthError('invalid_client', description, 401, { headers })
  }
  if (client.source === 'document' || client.source === 'managed') return client
  throw new OAuthError('unauthorized_client', 'Ask an owner of the organization for a managed client.')
}

/** Finds the connections that accept the issuer for this client, before any key is fetched. */
async function findConnections(app: App, assertion: string, { orgId }: OAuthClient) {
  const { issuer, type } = readUnverified(assertion)
  if (type !== TYPE) throw refused(`its typ is not ${TYPE}`)
  const connections = issuer === undefined ? [] : await findAgentConnections(app, issuer, orgId)
  if (issuer === undefined || connections.length === 0)
    throw refused('no connection with managed agents names its issuer')
  return { issuer, connections }
}

function readUnverified(assertion: string) {
  try {
    return { issuer: decodeJwt(assertion).iss, type: decodeProtectedHeader(assertion).typ }
  } catch {
    throw refused('it is not a JWT')
  }
}

const claimsSchema = z.object({
  sub: z.string().min(1).max(255),
  aud: z.union([z.string(), z.tuple([z.string()])]).transform(aud => [aud].flat()[0]),
  client_id: z.string(),
  jti: z.string().min(1).max(500),
  iat: z.number(),
  exp: z.number(),
  resource: z.union([z.string(), z.array(z.string())]).optional(),
  scope: z.string().max(1024).optional(),
  aud_tenant: z.string().optional(),
  aud_sub: z.string().min(1).max(255).optional(),
  oid: z.string().min(1).max(255).optional(),
  auth_time: z.number().optional(),
  // A key that the client must prove (RFC 9449). This server cannot check it, and must not ignore it.
  cnf: z.undefined().optional(),
})
type Claims = z.output<typeof claimsSchema>

interface Presented {
  assertion: string
  issuer: string
  agent: OAuthClient
  network: string
}

/** Checks signature and claims. Throws `invalid_grant`, and `temporarily_unavailable` while the keys cannot be fetched. */
async function verifyAssertion(app: App, { assertion, issuer, agent, network }: Presented): Promise<Claims> {
  const { payload } = await jwtVerify(assertion, keysOfIssuer(app, issuer, network), {
    algorithms: SIGNATURES,
    issuer,
    clockTolerance: SKEW_IN_SECONDS,
    currentDate: app.now(),
  }).catch((error: unknown) => {
    // The keys come from outside. For a malformed one, the library throws a TypeError or a DOMException.
    const isAbout = [errors.JOSEError, TypeError, DOMException].some(kind => error instanceof kind)
    throw isAbout && error instanceof Error ? refused(error.message) : error
  })
  const parsed = claimsSchema.safeParse(payload)
  if (!parsed.success) throw refused(`its ${String(parsed.error.issues[0]?.path[0])} is missing or not allowed`)
  const fault = faultOf(app, parsed.data, agent)
  if (fault) throw refused(fault)
  return parsed.data
}

function faultOf({ config: { baseUrl }, now }: App, claims: Claims, { id }: OAuthClient): string | undefined {
  const seconds = now().getTime() / 1000
  // Some libraries write the address of an origin with its path.
  if (claims.aud !== baseUrl && claims.aud !== `${baseUrl}/`) return `its aud is not ${baseUrl}`
  if (claims.client_id !== id) return 'its client_id is another client'
  const isOurs = [claims.resource ?? []].flat().every(resource => URL.parse(resource)?.origin === baseUrl)
  if (!isOurs) return 'its resource is another server'
  if (claims.exp > seconds + MOST_LIFE_IN_SECONDS + SKEW_IN_SECONDS) return 'its exp is more than five minutes away'
  return claims.iat > seconds + SKEW_IN_SECONDS ? 'its iat is in the future' : undefined
}

/**
 * Finds the member whom an assertion names, by the link of a connection or by the directory. Throws `invalid_grant` for an unknown
 * person, for one who is no member or suspended, and when several organizations know them.
 */
async function findKnown(app: App, connections: readonly AgentConnection[], claims: Claims) {
  const { aud_tenant: tenant } = claims
  const possible = connections.filter(({ orgId }) => tenant === undefined || tenant === orgId)
  const candidates = await Promise.all(
    possible.map(async connection => ({ connection, userId: await findUser(app, connection, claims) })),
  )
  const known = candidates.flatMap(({ connection, userId }) => (userId === undefined ? [] : { connection, userId }))
  if (known.length === 0) throw refused('its person has not signed in by the connection, and no directory knows them')
  const isMember = await Promise.all(
    known.map(async ({ connection, userId }) => (await findMembership(app, userId, connection.orgId)) !== null),
  )
  const [first, ...others] = known.filter((_person, index) => isMember[index])
  if (!first) throw refused('its person is no member of the organization')
  if (others.some(({ connection }) => connection.orgId !== first.connection.orgId))
    throw refused('several organizations know its person. Name one in aud_tenant')
  await refuseSuspended(app, first.userId)
  return first
}

async function findUser(app: App, { id, orgId, issuer }: AgentConnection, claims: Claims): Promise<string | undefined> {
  const { sub, oid, aud_tenant: tenant, aud_sub: ours } = claims
  const subject = tenant === undefined ? sub : (ours ?? sub)
  const externalId = subject === sub && oid !== undefined && isEntra(issuer) ? oid : subject
  const linked = await linkedUserOf(app, connectionProvider(id), subject)
  return linked ?? findDirectoryUser(app, orgId, externalId)
}

/** The scopes that a request names; undefined when it names none. Throws `invalid_scope` for an unknown one. */
export function askedScopes(scope: string | undefined): McpScope[] | undefined {
  const scopes = toolScopesOf(
    scope ?? '',
    name => new OAuthError('invalid_scope', `${name} is no scope of this server.`),
  )
  return scopes.length === 0 ? undefined : scopes
}

/** What is both asked for and asserted; each is everything where it is not named. Throws `invalid_grant` and `invalid_scope`. */
function grantedScopes(requested: McpScope[] | undefined, scope: string | undefined): McpScope[] {
  const asserted = scope === undefined ? undefined : toolScopesOf(scope, name => refused(`its scope has ${name}`))
  const all = requested ?? asserted ?? MCP_SCOPES.filter(each => DEFAULT_SCOPES.includes(each))
  const granted = all.filter(each => asserted?.includes(each) ?? true)
  if (granted.length === 0) throw new OAuthError('invalid_scope', 'No scope is both asked for and asserted.')
  return granted
}

/** Returns the scopes of tools in our order. `offline_access` means nothing here. Throws for an unknown scope. */
function toolScopesOf(list: string, fail: (name: string) => OAuthError): McpScope[] {
  const named = list.split(' ').filter(Boolean)
  const unknown = named.find(name => !SUPPORTED_SCOPES.some(scope => scope === name))
  if (unknown !== undefined) throw fail(/^[\w:.-]{1,40}$/.test(unknown) ? unknown : 'an unknown scope')
  return MCP_SCOPES.filter(scope => named.includes(scope))
}
