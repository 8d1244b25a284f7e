// What was read of the database is kept by `app.db.memory`, which forgets with every write, whoever wrote. What depends on the
// clock is asked anew each time: whether the session has ended, is to be renewed, is to be noted as used.
import { type IncomingMessage } from 'node:http'
import { isInGrace, isUndecided } from '#fairway/server/domains/organizations'
import {
  newExpiry,
  readSessionTokens,
  sessionByToken,
  type SessionRow,
  touchSession,
} from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import type { Memory } from '#fairway/server/kernel/database/client'
import { clientAddress } from '#fairway/server/kernel/http/client-address'
import { makeReady, type ReadyAnswer } from '#fairway/server/kernel/http/ready-answer'
import { remembered } from '#fairway/server/kernel/remember'
import { type ActorRow, copyOf, openSession, type Proof, type ServerSession, workingActor } from './act-as'

type Row = SessionRow & ActorRow

/** What the database says of a token. */
interface Kept {
  /** Undefined where no session has the token. */
  row?: Row
  /** What the row opens; left out where that has to be asked each time. It is never handed out itself: requests get copies. */
  session?: ServerSession
  /** The answer that shows it, once it was asked for. */
  answer?: ReadyAnswer
}

const FIND_BY_TOKEN = sessionByToken(workingActor)

const keptSessions = (app: App): Memory<Kept> => app.memo('kept-sessions', () => app.db.memory<Kept>('sessions'))

/** The live session behind the cookies of a request, with its row; the object is the caller's own. Null when there is none. */
export async function findCookieSession(
  app: App,
  cookieHeader: string | undefined,
): Promise<{ row: Row; session: ServerSession } | null> {
  for (const token of sessionTokens(app, cookieHeader)) {
    const { row, session } = await keptSessions(app).get(token, () => readSession(app, token))
    if (!row || row.expiresAt <= app.now().getTime()) continue
    if (session) return { row, session: copyOf(session) }
    const opened = await openSession(app, row, proofOf(row))
    if ('session' in opened) return { row, session: opened.session }
  }
  return null
}

/**
 * The answer of `GET /_fw/session` for the cookies of a request, when nothing has to be read or written for it; undefined where a
 * session is to be looked for, renewed, or found otherwise than by our cookie.
 */
export function readySession(app: App, request: IncomingMessage): ReadyAnswer | undefined {
  const { headers } = request
  if (headers.authorization !== undefined || app.config.customSignIn !== null) return undefined
  const [token] = sessionTokens(app, headers.cookie)
  if (token === undefined) return undefined
  const kept = keptSessions(app).peek(token)
  // An operator may look through the session of somebody else.
  if (!kept?.row || !kept.session || kept.session.isOperator) return undefined
  const now = app.now().getTime()
  if (kept.row.expiresAt <= now || newExpiry(kept.row, now) !== undefined) return undefined
  touchSession(app, kept.row, () => clientAddress(request, app.config.trustedProxies))
  return (kept.answer ??= makeReady(
    200,
    { 'content-type': 'application/json' },
    JSON.stringify({ session: kept.session }),
  ))
}

async function readSession(app: App, token: string): Promise<Kept> {
  const find = app.memo('find-session', () => app.db.prepareRead<Row>(FIND_BY_TOKEN))
  // Whether it has ended is asked when it is used: the statement gives ended ones too.
  const [row] = await find([token, 0])
  // The first organization of a person is made when the time has come for it, which no write announces.
  if (!row || isUndecided(row)) return { row }
  const opened = await openSession(app, row, proofOf(row))
  return 'session' in opened && !isInGrace(opened.session) ? { row, session: opened.session } : { row }
}

const proofOf = ({ sessionId, provider, providerDomain, provesAddress, createdAt, expiresAt }: SessionRow): Proof => ({
  sessionId,
  provider,
  providerDomain,
  provesAddress: provesAddress === 1,
  createdAt,
  expiresAt,
})

const LONGEST_HEADER = 2000

/** The tokens of a cookie header with a good signature, verified once: that depends on these very bytes and on the secrets alone. */
function sessionTokens(app: App, cookieHeader: string | undefined): readonly string[] {
  if (!cookieHeader) return []
  const verified = remembered<readonly string[]>(app, 'cookies')
  const known = verified.get(cookieHeader)
  if (known) return known
  const tokens = readSessionTokens(cookieHeader, app.config)
  if (tokens.length > 0 && cookieHeader.length <= LONGEST_HEADER) verified.set(cookieHeader, tokens)
  return tokens
}
