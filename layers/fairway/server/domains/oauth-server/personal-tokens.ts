// Personal tokens are grants that a person issues to their own programs, without the OAuth flow. Everything that ends a grant
// ends them.
import { z } from 'zod'
import { isOperator, noteAccountEvent, SESSION_HOLDS, tellOwnerOfToken } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { newId, randomToken } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { nameSchema } from '#fairway/shared/schemas/name'
import { PERSONAL_TOKEN_PREFIX, TOKEN_DAYS } from '#fairway/shared/secrets'
import type { Session } from '#fairway/shared/schemas/session'
import { OPERATOR_SCOPE } from '#fairway/shared/scopes'
import { mcpUrl } from './access-token'
import { grantJoins, listPersonalTokens, mayConnect } from './grants'
import { rootMark } from './root-mark'

/** The client id of every personal token, also in audit rows. */
export const PERSONAL_TOKEN_CLIENT = 'personal-token'

const MOST_TOKENS = 50
const DAY_IN_MS = 24 * 60 * 60 * 1000

export const personalTokenInput = z.object({
  name: nameSchema(60),
  scopes: z
    .array(z.enum(['mcp:read', 'mcp:write', OPERATOR_SCOPE]))
    .min(1, 'Choose what it may do.')
    .max(3),
  /** The organization that it works in; defaults to the active one. */
  orgId: z.string().max(64).optional(),
  expiresInDays: z.union(
    TOKEN_DAYS.map(days => z.literal(days)),
    'Choose 7, 30, 90 or 365 days.',
  ),
})

/**
 * Creates a personal token and emails its owner. The token is returned only here: 32 random bytes behind a prefix that secret
 * scanners know. It allows what the person may do in that organization, limited by the scopes. Throws `no-organization`,
 * `too-many-tokens`, and `forbidden`. The latter is for an organization that is not theirs or is closed to this session, and for
 * the scope `operator` without being an operator.
 */
export async function makePersonalToken(
  app: App,
  session: Session & { id: string | null },
  input: z.output<typeof personalTokenInput>,
): Promise<{ token: string; id: string }> {
  const { userId, email, provider, providerDomain = null, provedSecondFactor = false, id: sessionId } = session
  const orgId = input.orgId ?? session.orgId
  if (orgId === null) throw new AppError('no-organization')
  if (input.scopes.includes(OPERATOR_SCOPE) && !isOperator(app, session))
    throw new AppError('forbidden', { detail: 'Only operators can give a token the scope `operator`.' })
  const token = PERSONAL_TOKEN_PREFIX + randomToken(32)
  const id = newId()
  const now = app.now().getTime()
  const expiresAt = now + input.expiresInDays * DAY_IN_MS
  const scope = [...new Set(input.scopes)].toSorted().join(' ')
  const what = [input.name, email.trim().toLowerCase(), scope, mcpUrl(app.config)]
  const granted = [
    id,
    PERSONAL_TOKEN_CLIENT,
    ...what,
    now,
    now,
    expiresAt,
    sha256(token),
    token.slice(-4),
    rootMark(app, id),
  ]
  const proof = [orgId, userId, provider, providerDomain, Number(provedSecondFactor)]
  // The statement checks membership, sign-in rule, session and count, so concurrent requests cannot bypass them.
  const { rowsAffected } = await app.db.client.execute({
    sql: `insert into oauth_grants (id, client_id, client_name, user_id, email, org_id, provider, provider_domain, proved_second_factor, scope, resource, created_at,
        called_at, expires_at, token_hash, token_end, root_mark)
      select ?, ?, ?, u.id, ?, o.id, g.provider, g.provider_domain, g.proved_second_factor, ?, ?, ?, ?, ?, ?, ?, ?
      from (select ? as org_id, ? as user_id, ? as provider, ? as provider_domain, ? as proved_second_factor) g ${grantJoins}
      where ${mayConnect(app.config)} and ${SESSION_HOLDS}
      and (${LIVE_TOKENS}) < ${MOST_TOKENS}`,
    args: [...granted, ...proof, sessionId, sessionId, userId, now],
  })
  if (rowsAffected === 0) throw await whyNot(app, userId)
  tellOwnerOfToken(app, { userId, orgId, name: input.name, expiresAt: new Date(expiresAt) })
  return { token, id }
}

const LIVE_TOKENS =
  'select count(*) from oauth_grants t where t.user_id = ? and t.token_hash is not null and t.revoked_at is null and t.expires_at > ?'

async function whyNot(app: App, userId: string): Promise<AppError> {
  const tokens = await listPersonalTokens(app, userId)
  const detail = 'You are no member of this organization, or it asks for another way to sign in.'
  return tokens.length >= MOST_TOKENS ? new AppError('too-many-tokens') : new AppError('forbidden', { detail })
}

/** Revokes a personal token; the next call with it fails. Throws `not-found`. */
export async function revokePersonalToken(app: App, { userId }: Session, id: string): Promise<void> {
  const { rows } = await app.db.client.execute({
    sql: `update oauth_grants set revoked_at = ?, revoked_reason = 'person' where id = ? and user_id = ? and token_hash is not null
      and revoked_at is null returning client_name as name`,
    args: [app.now().getTime(), id, userId],
  })
  const [row] = rows
  if (!row) throw new AppError('not-found')
  noteAccountEvent(app, { kind: 'token-revoked', userId, subject: String(row.name) })
}
