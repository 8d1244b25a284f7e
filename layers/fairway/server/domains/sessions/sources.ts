import { appendResponseHeader, type H3Event } from 'h3'
import { z } from 'zod'
import {
  AUTH_DISABLED_PROVIDER,
  ensureDevAccount,
  ensurePerson,
  knownBrowserCookie,
  rollSession,
  touchSession,
} from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import type { Config } from '#fairway/server/kernel/config/config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { clientAddress } from '#fairway/server/kernel/http/client-address'
import { requestOrg } from '#fairway/server/kernel/http/request-org'
import { claimedEmailSchema } from '#fairway/shared/schemas/email'
import { optionalNameSchema } from '#fairway/shared/schemas/name'
import {
  type Acting,
  type ActorRow,
  findActor,
  findAddressedActor,
  openSession,
  type Proof,
  sessionOfActing,
  type ServerSession,
} from './act-as'
import { findCookieSession } from './cookie-session'

/** One place that may hold a session. Returns null when it has none, never a substitute. */
export interface SessionSource {
  name: string
  /** Whether this configuration uses the source. */
  isUsed(config: Config): boolean
  find(event: H3Event, app: App): Promise<ServerSession | null>
}

const findCookieOf = ({ node: { req } }: H3Event, app: App) =>
  findCookieSession(app, req.headers.cookie, {
    address: () => clientAddress(req, app.config.trustedProxies),
    slug: requestOrg(req),
  })

/** A person's row and the proof of it, in the organization that a request names. */
async function asNamed({ node: { req } }: H3Event, app: App, row: ActorRow | undefined, proof: Proof): Promise<Acting> {
  const slug = requestOrg(req)
  if (!row || slug === undefined) return openSession(app, row, proof)
  const named = await findAddressedActor(app, row.userId, slug)
  return openSession(app, named, { ...proof, orgId: named?.orgId })
}

const DAY_IN_MS = 24 * 60 * 60 * 1000

/** The session of the signed cookie, with the organization. An ended session stops working on the next request. */
export const sessionCookie: SessionSource = {
  name: 'session-cookie',
  isUsed: config => config.customSignIn === null,
  async find(event, app) {
    const cookieSession = await findCookieOf(event, app)
    if (!cookieSession) return null
    const { row, session } = cookieSession
    const { expiresAt, cookie } = await rollSession(app, row)
    session.expiresAt = new Date(expiresAt).toISOString()
    if (cookie) {
      appendResponseHeader(event, 'set-cookie', cookie)
      appendResponseHeader(event, 'set-cookie', knownBrowserCookie(app.config, session.userId))
    }
    touchSession(app, row, () => clientAddress(event.node.req, app.config.trustedProxies))
    return session
  },
}

/** The session of a request's cookie during a long response. Does not mark the session as used and does not renew it. */
export const cookieNow: SessionSource = {
  ...sessionCookie,
  find: async (event, app) => (await findCookieOf(event, app))?.session ?? null,
}

const text = z.string().regex(/^[^\p{Cc}]*$/u, 'has control characters')

/** The accepted return value of the application's `getSession`. Other members are ignored. */
const answerSchema = z.object({
  email: claimedEmailSchema,
  emailVerified: z.boolean().default(true),
  name: optionalNameSchema(200).nullish(),
  image: text.max(2048).nullish(),
  provider: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,31}$/)
    .default('custom'),
  expiresAt: z.union([z.date(), z.iso.datetime({ offset: true }).transform(value => new Date(value))]).optional(),
})

type Answer = z.output<typeof answerSchema>

/** The person returned by the application's `getSession`. The value is validated, and an error never signs anyone in. */
export const custom: SessionSource = {
  name: 'custom',
  isUsed: config => config.customSignIn !== null,
  async find(event, app) {
    const answer = parseAnswer(await app.config.customSignIn?.getSession(event))
    const now = app.now()
    if (!answer || (answer.expiresAt && answer.expiresAt <= now)) return null
    const { provider, emailVerified: provesAddress, expiresAt } = answer
    const opened = await asNamed(event, app, await findVouched(app, answer), {
      provider,
      provesAddress,
      expiresAt: expiresAt?.getTime() ?? now.getTime() + DAY_IN_MS,
    })
    return sessionOfActing(opened)
  },
}

// The values must not be logged: they may be personal data.
function parseAnswer(value: unknown): Answer | null {
  if (value === null) return null
  const parsed = answerSchema.safeParse(value)
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map(issue => `${issue.path.join('.') || 'the answer'}: ${issue.message}`)
  throw new AppError('internal', {
    cause: `getSession of fw.config.ts answered what is not a session: ${faults.join('; ')}`,
  })
}

/** The account of the returned person, created or updated when it differs. */
async function findVouched(app: App, { email, emailVerified, ...answer }: Answer): Promise<ActorRow> {
  const person = { email, emailVerified, name: answer.name || null, image: answer.image ?? null }
  const known = await findActor(app, { email })
  const isCurrent =
    known &&
    (known.emailVerified === 1 || !emailVerified) &&
    (person.name === null || known.name === person.name) &&
    (person.image === null || known.image === person.image)
  if (isCurrent) return known
  await ensurePerson(app, person)
  const row = await findActor(app, { email })
  if (!row) throw new Error('the account that was just made is not there')
  return row
}

/** The fixed identity of `AUTH_DISABLED`, whatever credential a request sends. */
export const authDisabled: SessionSource = {
  name: 'auth-disabled',
  isUsed: config => config.authDisabled !== undefined,
  async find(event, app) {
    const email = app.config.authDisabled?.email
    if (!email) return null
    const known = await findActor(app, { email })
    if (!known) await ensureDevAccount(app)
    const opened = await asNamed(event, app, known ?? (await findActor(app, { email })), {
      provider: AUTH_DISABLED_PROVIDER,
      expiresAt: app.now().getTime() + DAY_IN_MS,
    })
    return sessionOfActing(opened)
  },
}
