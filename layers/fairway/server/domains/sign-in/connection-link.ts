// The link between an account and a connection: the proof of the account where one is needed, and the session that follows.
import { and, eq, isNotNull } from 'drizzle-orm'
import { z } from 'zod'
import {
  endSessionById,
  findPerson,
  findSessionProof,
  leadOn,
  linkToPerson,
  mintSession,
  type ProviderProfile,
  tellOwner,
} from '#fairway/server/domains/people'
import type { ConnectedPerson } from '#fairway/server/domains/oauth-client'
import {
  type ConnectionRow,
  domainOf,
  enterByConnection,
  findConnection,
  servesDomain,
} from '#fairway/server/domains/organizations'
import type { ServerSession } from '#fairway/server/domains/sessions'
import type { App } from '#fairway/server/kernel/app-context'
import { randomToken } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { readCookie, setCookieValue } from '#fairway/server/kernel/http/cookie'
import type { RequestInfo } from '#fairway/server/kernel/http/request-info'
import {
  issueOneTime,
  type OneTimePurpose,
  peekOneTimeOfBrowser,
  spendOneTime,
} from '#fairway/server/kernel/one-time/one-time'
import { connectionProvider } from '#fairway/shared/connection-provider'
import { CONNECTION_LINK_PATH, SIGN_IN_AGAIN, SIGN_IN_PATH } from '#fairway/shared/paths'
import { safeReturnPath } from '#fairway/shared/return-path'
import { passkeys, twoFactor } from './tables'

/** The sign-in page that asks for the proof and returns to `finishLink`. */
const PROOF_PATH = `${SIGN_IN_PATH}?${new URLSearchParams({
  return: CONNECTION_LINK_PATH,
  error: 'connection-proof-required',
  [SIGN_IN_AGAIN]: '1',
})}`
const COOKIE = 'connection_link'
const LIFE_IN_SECONDS = 30 * 60

const pendingSchema = z.object({
  connectionId: z.string(),
  subject: z.string(),
  email: z.string(),
  name: z.string(),
  image: z.string().nullable(),
  isVerified: z.boolean().nullable(),
  returnPath: z.string(),
})

/** A sign-in by a connection that waits until the owner of the account has proved it in this browser. */
const pendingLink: OneTimePurpose<z.output<typeof pendingSchema>> = {
  name: 'connection-link',
  lifeInSeconds: LIFE_IN_SECONDS,
  payload: pendingSchema,
  mostPerBrowser: 1,
}

/** A person who comes from the provider, and where they want to go. */
export type Arriving = ConnectedPerson & { returnPath: string }

/** The person as a linked account of the connection. */
export const profileOf = (row: ConnectionRow, person: ConnectedPerson, emailVerified: boolean): ProviderProfile => ({
  provider: connectionProvider(row.id),
  accountId: person.subject,
  email: person.email,
  emailVerified,
  domain: domainOf(person.email) || null,
  name: person.name,
  image: person.image,
})

/** Whether an account has two-factor authentication or a passkey. */
export async function hasOwnFactor(app: App, userId: string): Promise<boolean> {
  const [code, passkey] = await Promise.all([
    app.db.orm
      .select({ userId: twoFactor.userId })
      .from(twoFactor)
      .where(and(eq(twoFactor.userId, userId), isNotNull(twoFactor.activeAt))),
    app.db.orm.select({ id: passkeys.id }).from(passkeys).where(eq(passkeys.userId, userId)).limit(1),
  ])
  return code.length + passkey.length > 0
}

/** Leads to the sign-in page, where the owner of the account proves it; then `finishLink` goes on. */
export async function waitForProof(app: App, row: ConnectionRow, { returnPath, ...person }: Arriving) {
  const secret = randomToken(32)
  await issueOneTime(app, pendingLink, {
    secret,
    browser: secret,
    payload: { connectionId: row.id, ...person, returnPath: safeReturnPath(returnPath, app.config.baseUrl) },
  })
  return {
    location: PROOF_PATH,
    setCookies: [setCookieValue(app.config, COOKIE, secret, LIFE_IN_SECONDS)],
  }
}

/** The address of the account that this browser should prove; undefined when none waits. */
export const addressToProve = async (app: App, cookieHeader: string | undefined): Promise<string | undefined> =>
  (await findPending(app, cookieHeader))?.pending.payload.email

async function findPending(app: App, cookieHeader: string | undefined) {
  const secret = readCookie(app.config, COOKIE, cookieHeader)
  const pending = secret ? await peekOneTimeOfBrowser(app, [pendingLink], secret) : null
  return secret && pending && pending.usedAt === null ? { secret, pending } : undefined
}

/**
 * Links the connection to the account that this browser has signed in to since, and signs in by it. The session must be of the
 * connection's address. It proves a second factor or passkey where the account has one, else the mailbox where the provider does
 * not vouch for it. Otherwise it leads to the sign-in page again.
 */
export async function finishLink(app: App, session: ServerSession | null, request: RequestInfo) {
  const waiting = await findPending(app, request.cookieHeader)
  if (!waiting) return { location: SIGN_IN_PATH }
  const { payload, createdAt } = waiting.pending
  const row = await findConnection(app, payload.connectionId)
  const isProved = await proves(app, session, payload, createdAt)
  if (row?.state !== 'active' || !isProved || !session?.id) return { location: PROOF_PATH }
  if (!(await servesDomain(app, row, domainOf(payload.email)))) throw new AppError('domain-not-proved')
  if (!(await spendOneTime(app, pendingLink, waiting.secret, { browser: waiting.secret })))
    return { location: SIGN_IN_PATH }
  const { userId, id: sessionId } = session
  await linkToPerson(app, { userId, sessionId }, profileOf(row, payload, true))
  tellOwner(app, userId, 'account-linked', row.name)
  const person = await findPerson(app, { userId })
  if (!person) throw new AppError('unauthenticated')
  const answer = await mintByConnection(
    app,
    row,
    { ...person, returnPath: payload.returnPath, isVerified: true },
    request,
  )
  await endSessionById(app, userId, sessionId)
  return { ...answer, setCookies: [...answer.setCookies, setCookieValue(app.config, COOKIE, '', 0)] }
}

async function proves(
  app: App,
  session: ServerSession | null,
  wanted: z.output<typeof pendingSchema>,
  since: Date,
): Promise<boolean> {
  if (!session?.id || session.email !== wanted.email) return false
  const { userId, id } = session
  const proof = await findSessionProof(app, userId, id)
  if (!proof || proof.createdAt < since) return false
  if (await hasOwnFactor(app, userId)) return proof.provedSecondFactor
  return wanted.isVerified === true || proof.provesAddress
}

interface Entering {
  userId: string
  email: string
  securityVersion: number
  isVerified: boolean
  returnPath: string
}

export async function mintByConnection(
  app: App,
  row: ConnectionRow,
  { userId, email, securityVersion, isVerified, returnPath }: Entering,
  { clientAddress: ipAddress, userAgent, language, cookieHeader }: RequestInfo,
) {
  await enterByConnection(app, row, userId)
  const session = await mintSession(app, {
    userId,
    email,
    securityVersion,
    ipAddress,
    userAgent,
    language,
    cookieHeader,
    provider: connectionProvider(row.id),
    provesAddress: isVerified,
    providerDomain: domainOf(email) || null,
  })
  return { location: leadOn(session, returnPath), setCookies: [session.cookie] }
}
