import { eq, lte } from 'drizzle-orm'
import type { H3Event } from 'h3'
import { openOrgContext, type OrgContextRow } from '#fairway/server/domains/organizations'
import { type App, getApp } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { readBearer } from '#fairway/server/kernel/http/request-info'
import { isEmbedToken } from '#fairway/shared/embed-token'
import type { Session } from '#fairway/shared/schemas/session'
import { embedTokens } from '../tables'

/** What the token of an embed page stands for. */
interface EmbedSession {
  /** The page as it is declared. */
  page: string
  /** The address of the page with its query. */
  path: string
  /** On whose behalf the page reads, in the organization of the token. */
  session: Session
}

interface TokenRow extends Omit<OrgContextRow, 'chosenOrgId'> {
  page: string
  path: string
  createdAt: number
  expiresAt: number
  userId: string
  email: string
  emailVerified: number
  name: string
  image: string | null
  provider: string
}

// One statement: the person, the membership and the session it was made in must all still be there.
const FIND = `
  select t.page as page, t.path as path, t.created_at as createdAt, t.expires_at as expiresAt, t.provider as provider,
    u.id as userId, u.email as email, u.email_verified as emailVerified, u.name as name, u.image as image,
    o.id as orgId, o.name as orgName, m.role as orgRole, o.required_auth_provider as requiredProvider
  from embed_tokens t join users u on u.id = t.user_id
    left join sessions s on s.id = t.session_id and s.expires_at > ?
    left join org_members m on m.org_id = t.org_id and m.user_id = t.user_id
    left join organizations o on o.id = m.org_id
  where t.token_hash = ? and t.expires_at > ?
    and (t.session_id is null or s.id is not null) and (t.org_id is null or o.id is not null)`

/** What a token opens now; null when it is unknown or late, or when its session, membership or person has ended. */
export async function findEmbedSession(app: App, token: string): Promise<EmbedSession | null> {
  const find = app.memo('find-embed-session', () => app.db.prepareRead<TokenRow>(FIND))
  const now = app.now().getTime()
  const [row] = await find([now, sha256(token), now])
  if (!row) return null
  const { page, path, userId, email, name, image } = row
  const session = {
    userId,
    email,
    emailVerified: row.emailVerified === 1,
    name,
    image,
    ...openOrgContext(app, row, row.provider),
    provider: 'embed',
    createdAt: new Date(row.createdAt).toISOString(),
    expiresAt: new Date(row.expiresAt).toISOString(),
  }
  return { page, path, session }
}

/** What the bearer token of this request opens; a cookie beside it is not looked at. Throws `unauthenticated` and `embed-token-ended`. */
export async function requireEmbedSession(event: H3Event): Promise<EmbedSession> {
  const found = await findEmbedSession(getApp(event), requireToken(event))
  if (!found) throw new AppError('embed-token-ended')
  return found
}

/** Ends the token of this request; ending it twice is the same as once. */
export async function endEmbedSession(event: H3Event): Promise<void> {
  const tokenHash = sha256(requireToken(event))
  await getApp(event).db.orm.delete(embedTokens).where(eq(embedTokens.tokenHash, tokenHash))
}

function requireToken(event: H3Event): string {
  const bearer = readBearer(event.node.req)
  if (!isEmbedToken(bearer)) throw new AppError('unauthenticated')
  return bearer
}

/** Deletes tokens of embed pages that have expired; they opened nothing any more. */
export async function purgeEmbedTokens(app: App): Promise<void> {
  await app.db.orm.delete(embedTokens).where(lte(embedTokens.expiresAt, app.now()))
}
