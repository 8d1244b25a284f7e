// Service accounts as callers: by a key, or by a token that the client credentials grant has issued.
import { suspendedError } from '#fairway/server/domains/people'
import { hasSessionPolicy, isWellFormedKey, noteServiceUse } from '#fairway/server/domains/organizations'
import {
  copyOf,
  openServiceAccount,
  type ServerSession,
  type ServiceActorRow,
  serviceActorSql,
} from '#fairway/server/domains/sessions'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { MCP_SCOPES, type McpScope } from '#fairway/shared/scopes'
import type { AccessTokenClaims } from './access-token'
import { findNewPlace } from './grant-use'
import type { McpAccess } from './mcp-access'

/** Whether a token was issued to a service account: it is its own subject (RFC 9068 §2.2). */
export const isOfServiceAccount = ({ sub, client_id: clientId }: AccessTokenClaims): boolean => sub === clientId

/** Returns the access of a key; null unless it is live. Throws `account-suspended`. */
export async function accessByKey(app: App, key: string): Promise<McpAccess | null> {
  if (!isWellFormedKey(key)) return null
  const hash = sha256(key)
  return openAccess(app, await remembered(app, 'byKey', hash, [hash]))
}

/** The same for a token. It ends with its key, with the account's public keys, and with the account. */
export async function accessByToken(app: App, claims: AccessTokenClaims): Promise<McpAccess | null> {
  const { jti, client_id: id, grant_id: credential, org_id: orgId } = claims
  const account = await remembered(app, 'byToken', jti, [id, credential])
  if (account.row?.accountOrgId !== orgId) return null
  const scopes = new Set(claims.scope.split(' '))
  return openAccess(app, account, scope => scopes.has(scope))
}

/** The access of an account without its credential, for a call that a person approved; null for another ID. */
export async function accessOfAccount(app: App, id: string): Promise<McpAccess | null> {
  const [row] = await app.db.prepareRead<ServiceActorRow>(serviceActorSql('byId'))([id])
  return openAccess(app, { row })
}

interface Kept {
  /** Undefined when the credential is not live. Many calls share it. */
  row?: Readonly<ServiceActorRow>
  /** The session, once opened. Callers get copies only. */
  session?: ServerSession | null
}

/** Finds the row of a credential, and remembers it until the next write to the database. */
function remembered(app: App, by: 'byKey' | 'byToken', credential: string, args: string[]): Promise<Kept> {
  const { find, memory } = app.memo(`service-access-${by}`, () => ({
    find: app.db.prepareRead<ServiceActorRow>(serviceActorSql(by)),
    memory: app.db.memory<Kept>('access-rows', app.decidesAccess),
  }))
  return memory.get(credential, async () => ({ row: (await find(args))[0] }))
}

async function openAccess(app: App, account: Kept, isInToken = (_scope: McpScope) => true): Promise<McpAccess | null> {
  const { row } = account
  const now = app.now().getTime()
  if (!row || (row.expiresAt !== null && row.expiresAt <= now)) return null
  // Compared on every call, because a suspension can end with time.
  if (row.suspendedUntil > now) throw suspendedError(row.suspendedUntil)
  const session = account.session ?? (await sessionOf(app, row))
  if (!hasSessionPolicy(row)) account.session = session
  if (!session) return null
  noteServiceUse(app, row, findNewPlace(app, { ...row, subject: row.accountName }))
  const isReadOnly = row.agentsReadOnly === 1 || row.readOnly === 1
  const scopes = grantable(row).filter(scope => isInToken(scope) && (scope === 'mcp:read' || !isReadOnly))
  return {
    session: copyOf(session),
    scopes: new Set(scopes),
    ...destructionOf(row),
    isReadOnly,
    grantId: row.accountId,
    clientId: row.accountId,
  }
}

async function sessionOf(app: App, row: ServiceActorRow): Promise<ServerSession | null> {
  const opened = await openServiceAccount(app, row)
  return 'session' in opened ? opened.session : null
}

/** The scopes of an account, in our order. */
export const grantable = ({ scope, readOnly }: Pick<ServiceActorRow, 'scope' | 'readOnly'>): McpScope[] => {
  const granted = scope.split(' ')
  return MCP_SCOPES.filter(each => granted.includes(each) && (readOnly !== 1 || each !== 'mcp:write'))
}

/** An account made with `destructive` deletes at once. For others, their owner of record approves each call. */
const destructionOf = ({ destructive }: ServiceActorRow): Pick<McpAccess, 'mayDelete' | 'asksFirst'> => ({
  mayDelete: true,
  asksFirst: destructive === 1 ? 'never' : 'always',
})
