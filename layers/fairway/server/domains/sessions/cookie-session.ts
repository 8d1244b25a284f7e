// Database reads are cached in `app.db.memory`, which every write clears. Checks that depend on the clock run on each request:
// whether the session has ended, needs renewal, or must be marked as used.
import { type IncomingMessage } from 'node:http'
import { hasSessionPolicy, isInGrace, isUndecided } from '#fairway/server/domains/organizations'
import {
  newExpiry,
  readSessionTokens,
  sessionByToken,
  type SessionRow,
  touchSession,
} from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { signsIn } from '#fairway/server/kernel/config/config'
import type { Memory } from '#fairway/server/kernel/database/client'
import { clientAddress } from '#fairway/server/kernel/http/client-address'
import { makeReady, type ReadyAnswer } from '#fairway/server/kernel/http/ready-answer'
import { cacheOf } from '#fairway/server/kernel/cache'
import { requestOrg } from '#fairway/server/kernel/http/request-org'
import {
  type ActorRow,
  addressedActor,
  copyOf,
  openSession,
  type Proof,
  type ServerSession,
  workingActor,
} from './act-as'

type Row = SessionRow & ActorRow

/** The database's record of a token. */
interface Kept {
  /** Undefined where no session has the token. */
  row?: Row
  /** The session of the row; omitted when it must be built on each request. Requests get copies, never this object. */
  session?: ServerSession
  /** The response with this session, once it was requested. */
  answer?: ReadyAnswer
}

const FIND_BY_TOKEN = sessionByToken(workingActor)
/** Its first values: the slug, twice. */
const FIND_BY_TOKEN_AND_SLUG = sessionByToken(addressedActor)

const keptSessions = (app: App): Memory<Kept> =>
  app.memo('kept-sessions', () => app.db.memory<Kept>('sessions', app.decidesAccess))

/**
 * The live session behind the cookies of a request, with its row, or null. The caller may change the session. `address` is the
 * network address of the request, for session policies. `slug` names the organization regardless of the person's choice; the
 * session has none where the person is no member of it.
 */
export async function findCookieSession(
  app: App,
  cookieHeader: string | undefined,
  { address, slug }: { address?: () => string; slug?: string } = {},
): Promise<{ row: Row; session: ServerSession } | null> {
  for (const token of sessionTokens(app, cookieHeader)) {
    const { row, session } = await keptSessions(app).get(keyOf(token, slug), () => readSession(app, token, slug))
    if (!row || row.expiresAt <= app.now().getTime()) continue
    if (session) return { row, session: copyOf(session) }
    const opened = await openSession(app, row, proofOf(row, { address: address?.(), slug }))
    if ('session' in opened) return { row, session: opened.session }
  }
  return null
}

/** Tokens contain no space. */
const keyOf = (token: string, slug: string | undefined): string => (slug === undefined ? token : `${token} ${slug}`)

/**
 * The response of `GET /_fw/session` when the cookies alone decide it, without reading or writing the database. Undefined when
 * the session must be looked up, renewed, or found by another credential.
 */
export function readySession(app: App, request: IncomingMessage): ReadyAnswer | undefined {
  const { headers } = request
  if (headers.authorization !== undefined || !signsIn(app.config)) return undefined
  const [token] = sessionTokens(app, headers.cookie)
  if (token === undefined) return undefined
  const cached = keptSessions(app).peek(keyOf(token, requestOrg(request)))
  // An operator may be viewing the application as another person.
  if (!cached?.row || !cached.session || cached.session.isOperator) return undefined
  const now = app.now().getTime()
  if (cached.row.expiresAt <= now || newExpiry(cached.row, now) !== undefined) return undefined
  touchSession(app, cached.row, () => clientAddress(request, app.config.trustedProxies))
  return (cached.answer ??= makeReady(
    200,
    { 'content-type': 'application/json' },
    JSON.stringify({ session: cached.session }),
  ))
}

async function readSession(app: App, token: string, slug: string | undefined): Promise<Kept> {
  const find = app.memo('find-session', () => app.db.prepareRead<Row>(FIND_BY_TOKEN))
  const findIn = app.memo('find-addressed-session', () => app.db.prepareRead<Row>(FIND_BY_TOKEN_AND_SLUG))
  // The statements return ended sessions too; callers check the end when they use the session.
  const [row] = await (slug === undefined ? find([token, 0]) : findIn([slug, slug, token, 0]))
  // A person's first organization is created when it is due, and no write clears the cache at that moment.
  if (!row || isUndecided(row) || hasSessionPolicy(row)) return { row }
  const opened = await openSession(app, row, proofOf(row, { slug }))
  return 'session' in opened && !isInGrace(opened.session) ? { row, session: opened.session } : { row }
}

const proofOf = (
  { provesAddress, provedSecondFactor, ...row }: Row,
  { address, slug }: { address?: string; slug: string | undefined },
): Proof => ({
  ...(slug === undefined ? {} : { orgId: row.orgId }),
  sessionId: row.sessionId,
  provider: row.provider,
  providerDomain: row.providerDomain,
  provesAddress: provesAddress === 1,
  provedSecondFactor: provedSecondFactor === 1,
  createdAt: row.createdAt,
  expiresAt: row.expiresAt,
  times: {
    signedInAt: row.createdAt,
    usedAt: row.lastUsedAt ?? row.createdAt,
    longestPause: row.longestPause,
    address,
  },
})

const LONGEST_HEADER = 2000

/**
 * The tokens of a cookie header with a valid signature. Cached, because the result depends only on these bytes and on the
 * secrets.
 */
function sessionTokens(app: App, cookieHeader: string | undefined): readonly string[] {
  if (!cookieHeader) return []
  const verified = cacheOf<readonly string[]>(app, 'cookies')
  const known = verified.get(cookieHeader)
  if (known) return known
  const tokens = readSessionTokens(cookieHeader, app.config)
  if (tokens.length > 0 && cookieHeader.length <= LONGEST_HEADER) verified.set(cookieHeader, tokens)
  return tokens
}
