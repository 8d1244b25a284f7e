// Embed pages: a one-time ticket opens one page inside another site and is exchanged for a read-only token.
import { eq, lte } from 'drizzle-orm'
import type { H3Event } from 'h3'
import { z } from 'zod'
import { checkOrgOpens } from '#fairway/server/domains/organizations'
import { isSessionLive } from '#fairway/server/domains/people'
import { type ActorRow, memberActor, openSession, sessionOfActing } from '#fairway/server/domains/sessions'
import { type App, getApp } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { randomToken } from '#fairway/server/kernel/crypto/random'
import type { DependentRows } from '#fairway/server/kernel/dependent-rows'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { readBearer } from '#fairway/server/kernel/http/request-info'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit } from '#fairway/server/kernel/limits/rate-limit'
import {
  endOneTimeStatement,
  issueStatements,
  type OneTimePurpose,
  spendOneTime,
} from '#fairway/server/kernel/one-time/one-time'
import type { ServerPage } from '#fairway/server/kernel/server-page/render-page'
import { EMBED_TOKEN_PREFIX, isEmbedToken } from '#fairway/shared/secrets'
import { EMBED_PATH, LEGACY_SIGN_IN_PATH, SIGN_IN_PATH } from '#fairway/shared/paths'
import { sameOriginPath } from '#fairway/shared/return-path'
import type { Session } from '#fairway/shared/schemas/session'
import { findEmbedPage, type ShellPage } from './find-page'
import { embedTokens } from './tables'

const TOKEN_LIFE_IN_MS = 60 * 60 * 1000

/** The columns of `embed_tokens` that the token is bound to as well. */
const boundSchema = z.object({
  userId: z.string(),
  orgId: z.string().nullable(),
  sessionId: z.string().nullable(),
  provider: z.string(),
  providerDomain: z.string().optional(),
  provedSecondFactor: z.boolean().optional(),
  page: z.string(),
  path: z.string(),
})

/** Opens an embed page once, within five minutes, as one person in one organization. */
const embedTicket: OneTimePurpose<z.output<typeof boundSchema>> = {
  name: 'embed-ticket',
  lifeInSeconds: 5 * 60,
  payload: boundSchema,
}

export const ticketSchema = z.object({ path: z.string().min(1).max(2048) })

interface TicketInput {
  path: string
  session: Session
  /** The ID of the session's row; null for sessions without a row. */
  sessionId: string | null
}

/**
 * Creates a one-time ticket that opens one embed page as this person in this organization. It is valid for five minutes. The
 * other site loads its `url` in a frame, once. Throws `not-an-embed-page` and `provider-required`.
 */
export async function createTicket(app: App, { path, session, sessionId }: TicketInput, pages: readonly ShellPage[]) {
  const target = checkedTarget(path, app.config.baseUrl, pages)
  checkOrgOpens(session)
  const { userId, orgId, provider, providerDomain, provedSecondFactor } = session
  await rateLimit(app, limits.embedTicketsPerAccount, userId)
  const payload = { ...target, userId, orgId, sessionId, provider, providerDomain, provedSecondFactor }
  const { secret, expiresAt, statements } = issueStatements(app, embedTicket, { subject: userId, payload })
  await app.db.client.batch(statements, 'write')
  return { url: `${app.config.baseUrl}${EMBED_PATH}/start?ticket=${secret}`, expiresAt: expiresAt.toISOString() }
}

function checkedTarget(value: string, baseUrl: string, pages: readonly ShellPage[]): { page: string; path: string } {
  const path = sameOriginPath(value, baseUrl, [SIGN_IN_PATH, LEGACY_SIGN_IN_PATH])
  const url = path === undefined ? undefined : new URL(path, baseUrl)
  // The fragment is reserved for the token.
  const page = url && !url.hash ? findEmbedPage(url.pathname, pages) : undefined
  if (!url || !page)
    throw new AppError('not-an-embed-page', { detail: 'Name the path of a page that declares embed: true.' })
  return { page: page.path, path: url.pathname + url.search }
}

/**
 * Uses up a ticket and returns the path of its page with a token that is valid for one hour. Only one of several concurrent
 * requests succeeds. Throws `embed-ticket-ended`.
 */
export async function openTicket(app: App, ticket: string): Promise<{ path: string; token: string }> {
  const spent = await spendOneTime(app, embedTicket, ticket)
  if (!spent) throw new AppError('embed-ticket-ended')
  const token = EMBED_TOKEN_PREFIX + randomToken(32)
  const createdAt = app.now()
  const expiresAt = new Date(createdAt.getTime() + TOKEN_LIFE_IN_MS)
  await app.db.orm.insert(embedTokens).values({ ...spent.payload, tokenHash: sha256(token), expiresAt, createdAt })
  // The membership or the session may have ended since the ticket was made.
  if (!(await findEmbedSession(app, token))) throw new AppError('embed-ticket-ended')
  return { path: spent.payload.path, token }
}

interface TokenRow extends ActorRow {
  page: string
  path: string
  createdAt: number
  expiresAt: number
  /** The sign-in provider of the session that created the ticket. */
  provider: string
  providerDomain: string | null
  provedSecondFactor: number
  tokenOrgId: string | null
}

// One statement checks that the person, the membership and the original session all still exist.
const FIND = `
  select t.page as page, t.path as path, t.created_at as createdAt, t.expires_at as expiresAt, t.provider as provider,
    t.provider_domain as providerDomain, t.proved_second_factor as provedSecondFactor,
    t.org_id as tokenOrgId, ${memberActor.columns}
  from embed_tokens t ${memberActor.joins('t.user_id', 't.org_id')}
  where t.token_hash = ? and t.expires_at > ? and (t.session_id is null or ${isSessionLive('t.session_id')})`

/**
 * The declared page of a token, its address with the query, and the session that it reads with, in the organization of the
 * token. Returns null when the token is unknown or expired, or when its session, membership or person no longer has access.
 */
export async function findEmbedSession(app: App, token: string) {
  const find = app.memo('find-embed-session', () => app.db.prepareRead<TokenRow>(FIND))
  const now = app.now().getTime()
  const [row] = await find([sha256(token), now, now])
  if (!row) return null
  const { page, path, provider, providerDomain, createdAt, expiresAt, tokenOrgId: orgId } = row
  const how = { provider, providerDomain, provedSecondFactor: row.provedSecondFactor === 1 }
  const proof = { ...how, shownAs: 'embed' as const, orgId, createdAt, expiresAt }
  const session = sessionOfActing(await openSession(app, row, proof))
  return session && { page, path, session }
}

/** The embed session of this request's bearer token. Cookies are ignored. Throws `unauthenticated` and `embed-token-ended`. */
export async function requireEmbedSession(event: H3Event) {
  const embedSession = await findEmbedSession(getApp(event), requireToken(event))
  if (!embedSession) throw new AppError('embed-token-ended')
  return embedSession
}

/** Ends the token of this request. Idempotent. */
export async function endEmbedSession(event: H3Event): Promise<void> {
  const tokenHash = sha256(requireToken(event))
  await getApp(event).db.orm.delete(embedTokens).where(eq(embedTokens.tokenHash, tokenHash))
}

function requireToken(event: H3Event): string {
  const bearer = readBearer(event.node.req)
  if (!isEmbedToken(bearer)) throw new AppError('unauthenticated')
  return bearer
}

/** Deletes expired tokens of embed pages. */
export async function purgeEmbedTokens(app: App): Promise<void> {
  await app.db.orm.delete(embedTokens).where(lte(embedTokens.expiresAt, app.now()))
}

// Loaded on demand: the command line and the build import this domain too and do not render pages.
const loadPages = () => import('./embed-pages')

/** The page for requests that are not a person's navigation. */
export const embedStartPage = async (app: App, ticket: string, language: string | undefined): Promise<ServerPage> =>
  (await loadPages()).embedStartPage(app, ticket, language)

/** The page that explains why nothing is shown and what to do. */
export const embedRefusedPage = async (app: App, language: string | undefined): Promise<ServerPage> =>
  (await loadPages()).embedRefusedPage(app, language)

/** Deletes a stranger's tickets and tokens; those created in the owner's own session stay. */
export const pagesRows: DependentRows = {
  leftByStranger: (app, { userId, sessionId }) => [
    endOneTimeStatement(app, [embedTicket], userId),
    { sql: 'delete from embed_tokens where user_id = ? and session_id is not ?', args: [userId, sessionId ?? ''] },
  ],
  forgetPerson: ({ userId }) => [{ sql: 'delete from embed_tokens where user_id = ?', args: [userId] }],
}
