// Signing in by the OpenID provider of an organization. The connection vouches for the addresses of the organization's proved
// domains, as their mail server would, and for nothing else: a second factor or passkey of an account is proved once before the link.
import { z } from 'zod'
import { findPerson, linkedUserOf, linkProviderAccount, tellOwner } from '#fairway/server/domains/people'
import {
  type ConnectedPerson,
  type ConnectionClient,
  endConnectionSignIn,
  readIssuer,
  startConnectionSignIn,
} from '#fairway/server/domains/oauth-client'
import {
  admits,
  assertionIssuersOf,
  type ConnectionRow,
  domainOf,
  findConnection,
  findConnectionFor,
  noteTest,
  openClientSecret,
  servesDomain,
} from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { RequestInfo } from '#fairway/server/kernel/http/request-info'
import { connectionProvider } from '#fairway/shared/connection-provider'
import { SINGLE_SIGN_ON_PAGE } from '#fairway/shared/paths'
import { safeReturnPath } from '#fairway/shared/return-path'
import { emailSchema } from '#fairway/shared/schemas/email'
import { type Arriving, hasOwnFactor, mintByConnection, profileOf, waitForProof } from './connection-link'
import type { SignInAnswer } from './sign-in-answer'

export const connectionSignInSchema = z.object({ email: emailSchema, callbackURL: z.string().optional() })

/** Who signs for the agents of a connection. */
export const assertionIssuersSchema = z.array(z.string().trim().min(1).max(500)).max(5)

/** These issuers as they name themselves, each once. Known ones are not asked again. Throws `invalid-input`. */
export async function checkedIssuers(app: App, row: ConnectionRow, typed: readonly string[]): Promise<string[]> {
  const known = [row.issuer, ...assertionIssuersOf(row)]
  const read = typed.map(issuer => (known.includes(issuer) ? issuer : readIssuer(app, issuer, 'assertionIssuers')))
  return [...new Set(await Promise.all(read))]
}

/** The client at the provider of a connection; undefined while it is incomplete or its secret cannot be read. */
export function clientOf(app: App, row: ConnectionRow | undefined): ConnectionClient | undefined {
  if (!row?.issuer || !row.clientId) return undefined
  const { id, name, issuer, clientId, clientAuth } = row
  const clientSecret = clientAuth === 'secret' ? openClientSecret(app, row) : undefined
  if (clientAuth === 'secret' && clientSecret === undefined) return undefined
  return { id, name, issuer, clientId, clientSecret }
}

/**
 * Leads an address to the provider of its organization. The answer depends on the domain alone, so it tells nothing about persons.
 * Undefined without an active connection. Throws `rate-limited` and `provider-unavailable`.
 */
export async function leadToConnection(
  app: App,
  { email, callbackURL: returnPath }: z.output<typeof connectionSignInSchema>,
  { clientAddress, cookieHeader }: RequestInfo,
): Promise<SignInAnswer | undefined> {
  const client = clientOf(app, await findConnectionFor(app, domainOf(email)))
  if (!client) return undefined
  const input = { returnPath, clientAddress, cookieHeader, loginHint: email }
  const { url, setCookies } = await startConnectionSignIn(app, client, input)
  return { body: { url, redirect: false }, setCookies, location: url }
}

/** The same for scripts. Throws `no-connection`. */
export async function signInByConnection(
  app: App,
  input: z.output<typeof connectionSignInSchema>,
  request: RequestInfo,
): Promise<SignInAnswer> {
  const answer = await leadToConnection(app, input, request)
  if (!answer) throw new AppError('no-connection')
  return answer
}

/** The parameters of a start at the provider's dashboard (OpenID Connect Core §4). */
export interface LoginInitiation {
  iss?: string
  loginHint?: string
  targetLinkUri?: string
}

/** Starts a sign-in by the ID of a connection. Throws `no-connection`, also for another issuer. */
export async function initiateConnection(
  app: App,
  id: string,
  { iss, loginHint, targetLinkUri }: LoginInitiation,
  { clientAddress, cookieHeader }: RequestInfo,
): Promise<{ location: string; setCookies: string[] }> {
  const row = await findConnection(app, id)
  const client = row?.state === 'active' ? clientOf(app, row) : undefined
  if (!client || (iss !== undefined && iss !== client.issuer)) throw new AppError('no-connection')
  const returnPath = safeReturnPath(targetLinkUri, app.config.baseUrl)
  const input = { returnPath, clientAddress, cookieHeader, loginHint }
  const { url: location, setCookies } = await startConnectionSignIn(app, client, input)
  return { location, setCookies }
}

type TestRequest = Pick<RequestInfo, 'clientAddress' | 'cookieHeader'> & {
  /** An account's ID, or another name by which `findTester` knows who tests. */
  testedBy: string
  /** The page of the result; the page of single sign-on when not given. */
  returnPath?: string
}

/** Starts a test of a connection by an admin. Throws `invalid-input` while it is incomplete. */
export async function testConnection(
  app: App,
  row: ConnectionRow,
  { clientAddress, cookieHeader, testedBy, returnPath = SINGLE_SIGN_ON_PAGE }: TestRequest,
): Promise<{ url: string; setCookies: string[] }> {
  const client = clientOf(app, row)
  if (!client) {
    const missing = !row.issuer ? 'issuer' : !row.clientId ? 'clientId' : 'clientSecret'
    throw new AppError('invalid-input', { errors: [{ path: missing, message: 'Enter this before you test.' }] })
  }
  const input = { returnPath: `${returnPath}?connection=${row.id}`, clientAddress, cookieHeader, testedBy }
  return startConnectionSignIn(app, client, input)
}

interface CallbackInput extends RequestInfo {
  id: string
  query: URLSearchParams
  requestId?: string
  /** The organization for which a tester may still test; undefined for none. */
  findTester(testedBy: string): Promise<string | null | undefined>
}

/** Handles the callback of a connection: a sign-in, or a test, whose tester must still be allowed to test. */
export async function endConnection(app: App, input: CallbackInput) {
  const row = await findConnection(app, input.id)
  return endConnectionSignIn(app, clientOf(app, row), input, async ({ person, testedBy, returnPath }) => {
    if (!row) throw new AppError('no-connection')
    if (testedBy !== null) {
      if ((await input.findTester(testedBy)) !== row.orgId) throw new AppError('invalid-state')
      return { location: await finishTest(app, row, person, returnPath) }
    }
    if (row.state !== 'active') throw new AppError('no-connection')
    return signIn(app, row, { ...person, returnPath }, input)
  })
}

async function finishTest(app: App, row: ConnectionRow, person: ConnectedPerson, returnPath: string): Promise<string> {
  const { email, isVerified, subject } = person
  if (!email) throw new AppError('provider-email-not-verified')
  const isInDomain = await servesDomain(app, row, domainOf(email))
  await noteTest(app, row, { at: app.now().toISOString(), email, isInDomain, isVerified, subject })
  return `${returnPath}&tested=1`
}

/**
 * Signs a person in: one who is linked already, or one whose address is in a proved domain. Throws `domain-not-proved`,
 * `provider-email-not-verified` and `not-a-member`.
 */
async function signIn(app: App, row: ConnectionRow, person: Arriving, request: RequestInfo) {
  const linked = await linkedUserOf(app, connectionProvider(row.id), person.subject)
  if (linked === undefined) return signInNew(app, row, person, request)
  if (!(await admits(app, row, linked))) throw new AppError('not-a-member')
  return enter(app, row, { ...person, isProved: person.isVerified === true }, request)
}

/** Links a person who comes for the first time, or leads to the proof that the account of the address is theirs. */
async function signInNew(app: App, row: ConnectionRow, person: Arriving, request: RequestInfo) {
  await checkVouched(app, row, person)
  const owner = await findPerson(app, { email: person.email })
  if (!(await admits(app, row, owner?.userId ?? null))) throw new AppError('not-a-member')
  const isOwned = owner !== undefined && (await hasOwnFactor(app, owner.userId))
  if (!person.isVerified || isOwned) return waitForProof(app, row, person)
  const answer = await enter(app, row, { ...person, isProved: true }, request)
  if (owner) tellOwner(app, owner.userId, 'account-linked', row.name)
  return answer
}

/** Throws `domain-not-proved` for an address that the connection may not vouch for, and when the provider denies it. */
async function checkVouched(app: App, row: ConnectionRow, { email, isVerified }: Arriving): Promise<void> {
  if (!email || !(await servesDomain(app, row, domainOf(email)))) throw new AppError('domain-not-proved')
  if (isVerified === false) throw new AppError('provider-email-not-verified')
}

/** Signs in the account that is linked to a person at the provider, and links it first where the address is proved. */
async function enter(app: App, row: ConnectionRow, person: Arriving & { isProved: boolean }, request: RequestInfo) {
  const user = await linkProviderAccount(app, profileOf(row, person, person.isProved))
  const isVerified = person.isProved && user.email === person.email
  return mintByConnection(app, row, { ...user, returnPath: person.returnPath, isVerified }, request)
}
