// The access and the limits of a bearer token at /mcp and, for personal tokens, at actions and collections.
import { getRouterParams, type H3Event } from 'h3'
import {
  authenticateAccessToken,
  type McpAccess,
  mcpChallenge,
  noteUse,
  PERSONAL_TOKEN_CLIENT,
} from '#fairway/server/domains/oauth-server'
import { type Action, type ActionToken, recordAudit, scopeOfAction } from '#fairway/server/domains/actions'
import { approverOf, runWhenApproved } from '#fairway/server/domains/agents'
import { agentsOnlyRead, checkOrgOpens, checkSecondFactorSetUp, checkSlug } from '#fairway/server/domains/organizations'
import { type App, getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { findRun, withRun } from '#fairway/server/kernel/current-run'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { readBearer, requestInfo } from '#fairway/server/kernel/http/request-info'
import { acquireSlot } from '#fairway/server/kernel/limits/acquire-slot'
import { concurrencyLimits, limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit } from '#fairway/server/kernel/limits/rate-limit'
import { hostnameOf, isLoopbackHost } from '#fairway/shared/loopback'
import { MCP_PATH } from '#fairway/shared/paths'
import { isApiToken } from '#fairway/shared/secrets'
import type { GrantUse } from '#fairway/shared/schemas/connection'
import { MCP_SCOPES, type McpScope, OPERATOR_SCOPE, type TokenScope } from '#fairway/shared/scopes'
import { actAs, requireSession, type ServerSession, sessionOfActing } from '#fairway/server/domains/sessions'
import { constantTimeEqual, sha256 } from '#fairway/server/kernel/crypto/hash'

/**
 * Returns the access that the bearer token of a request grants; cookies and query parameters are ignored. Throws
 * `unauthenticated` with the challenge that starts OAuth, `provider-required` and `no-such-organization`.
 */
export async function requireAccess(event: H3Event): Promise<McpAccess> {
  const app = getApp(event)
  if (app.config.authDisabled) return fullAccess(await requireSession(event))
  const token = readBearer(event.node.req)
  if (!token) throw refusal(event, token === undefined ? {} : { error: 'invalid_token' })
  const access =
    (await authenticateAccessToken(app, token)) ??
    (isStaticToken(app, token) ? ((await findStaticAccess(app)) ?? noOwner(event)) : null)
  if (!access) throw refusal(event, { error: 'invalid_token' })
  await checkSlug(app, event.node.req, access.session)
  checkOrgOpens(access.session)
  return access
}

/** A call that changes data, for the audit row of its refusal. */
type Write = Pick<Parameters<typeof recordAudit>[1], 'action' | 'input' | 'schema' | 'keeps' | 'orgId'>

/**
 * Throws `insufficient-scope` with a challenge that lets a host request more. It lists both the granted and the missing scopes,
 * because a new token replaces the old one. Throws `agents-read-only`, which leaves an audit row when `write` names a call.
 */
export async function requireScope(
  app: App,
  access: McpAccess,
  scope: McpScope | null,
  call: { write?: Write; requestId: string },
): Promise<void> {
  if (scope === null || access.scopes.has(scope)) return
  await refuseToReaders(app, access, scope, { ...call, caller: 'mcp', via: viaOf(access) })
  const wanted = MCP_SCOPES.filter(each => each === scope || access.scopes.has(each))
  throw new AppError('insufficient-scope', {
    detail: `This requires the scope ${scope}.`,
    headers: { 'www-authenticate': mcpChallenge(app.config, { error: 'insufficient_scope', scope: wanted }) },
  })
}

/** Whether the person can grant the scope to this host by agreeing once more. The scopes of API tokens never change. */
export const canGrant = (access: McpAccess, scope: TokenScope): boolean =>
  access.clientId !== PERSONAL_TOKEN_CLIENT && !access.session.serviceAccount && !isClosedToAgents(access, scope)

const isClosedToAgents = ({ isReadOnly }: McpAccess, scope: TokenScope): boolean => isReadOnly && scope !== 'mcp:read'

/** The program behind a token, as audit rows name it. */
export const viaOf = ({ clientId }: McpAccess): string => clientId ?? 'a static token'

/** Throws `agents-read-only` when no other token could have the scope. */
async function refuseToReaders(
  app: App,
  access: McpAccess,
  scope: TokenScope,
  { write, ...call }: { write?: Write; requestId: string; caller: 'mcp' | 'http'; via: string },
): Promise<void> {
  if (!isClosedToAgents(access, scope)) return
  const detail = 'Owners and admins can change that under Team, Connected apps.'
  const error = new AppError('agents-read-only', { detail })
  if (write) await recordAudit(app, { ...write, ...call, session: access.session, error })
  throw error
}

function noOwner(event: H3Event): never {
  const detail = 'The static token is right, but nobody has the address of FW_OWNER_EMAIL, or nobody has confirmed it.'
  throw refusal(event, { error: 'invalid_token' }, detail)
}

function refusal(event: H3Event, challenge: { error?: 'invalid_token' }, detail = otherNameOf(event)): AppError {
  const description = otherNameOf(event)
  const value = mcpChallenge(getApp(event).config, { ...challenge, description })
  return new AppError('unauthenticated', { detail, headers: { 'www-authenticate': value } })
}

// Hosts compare the resource in the metadata with the address that they were given, and stop on a mismatch (RFC 9728 §3.3).
function otherNameOf(event: H3Event): string | undefined {
  const { baseUrl } = getApp(event).config
  const { hostname } = new URL(baseUrl)
  const requestHost = hostnameOf(event.node.req.headers.host) ?? hostname
  if (requestHost === hostname || !isLoopbackHost(requestHost) || !isLoopbackHost(hostname)) return undefined
  return `Use ${baseUrl}${MCP_PATH}. This server has that one address, and ${requestHost} is another one.`
}

const USES: Partial<Record<TokenScope, GrantUse>> = { 'mcp:write': 'write', [OPERATOR_SCOPE]: 'operate' }

/** Notes what a call uses its grant for; a message that needs no scope is no use. */
export function noteMessage(app: App, access: McpAccess, scope: TokenScope | null, isDestructive: boolean): void {
  if (scope === null || (isDestructive && !access.mayDelete)) return
  noteUse(app, access, isDestructive ? 'delete' : (USES[scope] ?? 'read'))
}

const subjectOf = ({ grantId, session }: McpAccess): string => grantId ?? `static:${session.userId}`

/**
 * Counts a call of a grant and runs it. Throws `rate-limited` beyond the limit, and while too many of its calls are running on
 * this instance.
 */
export async function withinCallLimits<T>(app: App, access: McpAccess, work: () => Promise<T>): Promise<T> {
  const subject = subjectOf(access)
  await rateLimit(app, limits.mcpCallsPerGrant, subject)
  const release = acquireSlot(app, concurrencyLimits.mcpCallsPerGrant, subject)
  const run = findRun()
  if (run && access.grantId !== null) run.grantId = access.grantId
  try {
    return await work()
  } finally {
    release()
  }
}

/** Whether the caller may not run this action, because it deletes data and they may not delete. */
export const isKeptBack = ({ destructive }: Pick<Action, 'destructive'>, { mayDelete }: McpAccess): boolean =>
  destructive && !mayDelete

/** Throws `deletion-not-allowed` for an action that is kept back. */
export function checkKeptBack(action: Pick<Action, 'destructive'>, access: McpAccess): void {
  // The text is for models. A challenge would request a scope that the host already has.
  if (!isKeptBack(action, access)) return
  const detail = 'The person connected this app without it. They can connect it once more and tick “Delete”.'
  throw new AppError('deletion-not-allowed', { detail })
}

/** What a token must allow, and what its refusal leaves. */
interface TokenUse {
  scope: TokenScope
  /** The call, whose refusal by the organization's rule for agents leaves an audit row. */
  write?: Omit<Write, 'input'>
  /** Whether the call deletes data. */
  deletes?: boolean
}

/**
 * Answers a request as the person behind its personal token, or as the service account of its key, if the token has the scope and is
 * within its limits. Without such a token, `answer` finds the session. Throws `unauthenticated`, `insufficient-scope`,
 * `deletion-not-allowed` for a call that `deletes`, and `rate-limited`. The first two include `WWW-Authenticate` with the requirement
 * (RFC 6750 §3).
 */
export async function withPersonalToken<T>(
  event: H3Event,
  use: TokenUse,
  answer: (session?: ServerSession, access?: McpAccess) => Promise<T>,
): Promise<T> {
  const bearer = readBearer(event.node.req)
  const app = getApp(event)
  if (event.method === 'OPTIONS') return answer()
  if (!isApiToken(bearer)) return challenged(answer(), bearer === undefined ? undefined : 'invalid_token', use.scope)
  if (app.config.authDisabled) return answer()
  const access = await requireToken(event, bearer, use)
  const { session, grantId } = access
  const { clientAddress, userAgent } = requestInfo(event)
  const run = { app, session, clientAddress, userAgent, grantId: grantId ?? undefined }
  return withinCallLimits(app, access, () => withRun(run, () => answer(session, access)))
}

/** The access of a token that allows this use, which is noted. */
async function requireToken(event: H3Event, bearer: string, { scope, write, deletes = false }: TokenUse) {
  const app = getApp(event)
  const access = await authenticateAccessToken(app, bearer)
  if (!access) throw new AppError('unauthenticated', challenge('invalid_token', scope))
  const { session } = access
  await checkSlug(app, event.node.req, session)
  checkSecondFactorSetUp(session)
  app.trace?.person(getRequestId(event), session.serviceAccount ? 'service account' : 'personal token', session)
  if (!access.scopes.has(scope)) {
    const refused = write && { ...write, input: getRouterParams(event, { decode: true }) }
    const call = { write: refused, requestId: getRequestId(event), caller: 'http' as const, via: viaOf(access) }
    await refuseToReaders(app, access, scope, call)
    throw new AppError('insufficient-scope', {
      detail: `This requires the scope ${scope}.`,
      ...challenge('insufficient_scope', scope),
    })
  }
  if (deletes && !access.mayDelete)
    throw new AppError('deletion-not-allowed', { detail: 'The permission to delete was removed from this API token.' })
  noteMessage(app, access, scope, deletes)
  return access
}

/** The same for a call of an action, with the scope that it needs. A service account may have to wait for an approval. */
export const withActionToken = <T>(
  event: H3Event,
  { name, action }: { name: string; action: Action },
  answer: (token?: ActionToken) => Promise<T>,
): Promise<T> =>
  withPersonalToken(
    event,
    {
      scope: scopeOfAction(action),
      write: action.readOnly ? undefined : { action: name, schema: action.input, keeps: action.audit },
      deletes: action.destructive,
    },
    (session, access) => answer(session && access && { session, whenApproved: whenApproved(event, access) }),
  )

/** Runs a call of this token at once, or when a person has approved it. */
const whenApproved =
  (event: H3Event, access: McpAccess): ActionToken['whenApproved'] =>
  (call, run) => {
    const approver = approverOf(call.action, access)
    if (!approver) return run()
    return runWhenApproved(getApp(event), { ...call, access, caller: 'http' }, approver, run)
  }

const challenge = (error: 'invalid_token' | 'insufficient_scope' | undefined, scope: TokenScope) => ({
  headers: { 'www-authenticate': `Bearer ${error ? `error="${error}", ` : ''}scope="${scope}"` },
})

/** Adds a challenge to a 401 without one. */
async function challenged<T>(answer: Promise<T>, error: 'invalid_token' | undefined, scope: TokenScope): Promise<T> {
  try {
    return await answer
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code !== 'unauthenticated') throw thrown
    const { detail, cause, headers } = thrown
    throw new AppError('unauthenticated', {
      detail,
      cause,
      headers: { ...challenge(error, scope).headers, ...headers },
    })
  }
}

/** Whether this is one of the configured tokens, compared in constant time. */
function isStaticToken(app: App, token: string): boolean {
  if (app.config.mcp.staticTokenHashes.length === 0) return false
  const hash = sha256(token)
  const same = app.config.mcp.staticTokenHashes.map(known => constantTimeEqual(known, hash))
  return same.includes(true)
}

/**
 * The access of a static token: all scopes that the organization leaves to agents, as the person of `FW_OWNER_EMAIL` in their
 * active organization. Null when there is no such person, when the account has no access, or when its address was never verified.
 */
export async function findStaticAccess(app: App): Promise<McpAccess | null> {
  const session = await findOwner(app)
  return session && fullAccess(session, await agentsOnlyRead(app, session.orgId))
}

const fullAccess = (session: ServerSession, isReadOnly = false): McpAccess => ({
  session,
  scopes: new Set<TokenScope>(isReadOnly ? ['mcp:read'] : MCP_SCOPES),
  mayDelete: true,
  asksFirst: 'in-host',
  isReadOnly,
  grantId: null,
  clientId: null,
})

async function findOwner(app: App): Promise<ServerSession | null> {
  const { ownerEmail } = app.config.mcp
  if (!ownerEmail) return null
  // The verification policy may let people sign up with an address that is not theirs, such as the operator's.
  const who = { email: ownerEmail, mustBeConfirmed: true }
  return sessionOfActing(await actAs(app, who, { provider: 'static-token' }))
}

function whileSuspended(error: unknown): null {
  if (error instanceof AppError && error.code === 'account-suspended') return null
  throw error
}

/** Warns at start about static tokens that grant no access. */
export async function warnAboutStaticTokens(app: App): Promise<void> {
  const { staticTokenHashes, ownerEmail } = app.config.mcp
  if (staticTokenHashes.length === 0) return
  if (!ownerEmail) app.log.warn('static bearer tokens open nothing: FW_OWNER_EMAIL is not set')
  else if (!(await findOwner(app).catch(whileSuspended)))
    app.log.warn('static bearer tokens open nothing yet: nobody has the address of FW_OWNER_EMAIL, or has confirmed it')
}
