// Embed pages: a ticket opens one once, inside of another site, and gives it a token to read with.
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

/** What its token is bound to as well: the columns of `embed_tokens`. */
const boundSchema = z.object({
  userId: z.string(),
  orgId: z.string().nullable(),
  sessionId: z.string().nullable(),
  provider: z.string(),
  providerDomain: z.string().optional(),
  page: z.string(),
  path: z.string(),
})

/** What opens an embed page once, within five minutes, as one person in one organization. */
const embedTicket: OneTimePurpose<z.output<typeof boundSchema>> = {
  name: 'embed-ticket',
  lifeInSeconds: 5 * 60,
  payload: boundSchema,
}

export const ticketSchema = z.object({ path: z.string().min(1).max(2048) })

interface TicketInput {
  path: string
  session: Session
  /** The row of this session, when sessions are ours. */
  sessionId: string | null
}

/** Makes a one-time ticket that opens one embed page as this person in this organization, for five minutes; the frame of the other site shows its `url`, once. Throws `not-an-embed-page` and `provider-required`. */
export async function createTicket(app: App, { path, session, sessionId }: TicketInput, pages: readonly ShellPage[]) {
  const target = checkedTarget(path, app.config.baseUrl, pages)
  checkOrgOpens(session)
  const { userId, orgId, provider, providerDomain } = session
  await rateLimit(app, limits.embedTicketsPerAccount, userId)
  const payload = { ...target, userId, orgId, sessionId, provider, providerDomain }
  const { secret, expiresAt, statements } = issueStatements(app, embedTicket, { subject: userId, payload })
  await app.db.client.batch(statements, 'write')
  return { url: `${app.config.baseUrl}${EMBED_PATH}/start?ticket=${secret}`, expiresAt: expiresAt.toISOString() }
}

function checkedTarget(value: string, baseUrl: string, pages: readonly ShellPage[]): { page: string; path: string } {
  const path = sameOriginPath(value, baseUrl, [SIGN_IN_PATH, LEGACY_SIGN_IN_PATH])
  const url = path === undefined ? undefined : new URL(path, baseUrl)
  // The fragment is where the token goes.
  const page = url && !url.hash ? findEmbedPage(url.pathname, pages) : undefined
  if (!url || !page)
    throw new AppError('not-an-embed-page', { detail: 'Name the path of a page that declares embed: true.' })
  return { page: page.path, path: url.pathname + url.search }
}

/** Uses a ticket up and gives the page it opens with a token for one hour; of any number of requests one gets it. Throws `embed-ticket-ended`. */
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
  /** How the session was proved that the ticket was made in. */
  provider: string
  providerDomain: string | null
  tokenOrgId: string | null
}

// One statement: the person, the membership and the session it was made in must all still be there.
const FIND = `
  select t.page as page, t.path as path, t.created_at as createdAt, t.expires_at as expiresAt, t.provider as provider,
    t.provider_domain as providerDomain,
    t.org_id as tokenOrgId, ${memberActor.columns}
  from embed_tokens t ${memberActor.joins('t.user_id', 't.org_id')}
  where t.token_hash = ? and t.expires_at > ? and (t.session_id is null or ${isSessionLive('t.session_id')})`

/** What a token opens now: the page as it is declared, its address with its query, and on whose behalf it reads, in the organization of the token; null when it is unknown or late, or when its session, membership or person has ended or opens nothing. */
export async function findEmbedSession(app: App, token: string) {
  const find = app.memo('find-embed-session', () => app.db.prepareRead<TokenRow>(FIND))
  const now = app.now().getTime()
  const [row] = await find([sha256(token), now, now])
  if (!row) return null
  const { page, path, provider, providerDomain, createdAt, expiresAt, tokenOrgId: orgId } = row
  const proof = { provider, providerDomain, shownAs: 'embed' as const, orgId, createdAt, expiresAt }
  const session = sessionOfActing(await openSession(app, row, proof))
  return session && { page, path, session }
}

/** What the bearer token of this request opens; a cookie beside it is not looked at. Throws `unauthenticated` and `embed-token-ended`. */
export async function requireEmbedSession(event: H3Event) {
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

// Loaded when one is shown: the command line and the build read this domain too, and know no pages.
const loadPages = () => import('./embed-pages')

/** The page for whatever is not a person's own navigation. */
export const embedStartPage = async (app: App, ticket: string, language: string | undefined): Promise<ServerPage> =>
  (await loadPages()).embedStartPage(app, ticket, language)

/** The page that says why there is nothing to see and what to do. */
export const embedRefusedPage = async (app: App, language: string | undefined): Promise<ServerPage> =>
  (await loadPages()).embedRefusedPage(app, language)

/** Tickets and tokens of a stranger go; those that the owner's own session has made stay. */
export const pagesRows: DependentRows = {
  leftByStranger: (app, { userId, sessionId }) => [
    endOneTimeStatement(app, [embedTicket], userId),
    { sql: 'delete from embed_tokens where user_id = ? and session_id is not ?', args: [userId, sessionId ?? ''] },
  ],
  forgetPerson: ({ userId }) => [{ sql: 'delete from embed_tokens where user_id = ?', args: [userId] }],
}
