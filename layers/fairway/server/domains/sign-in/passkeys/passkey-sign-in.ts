// Signing in with a passkey.
import { and, eq } from 'drizzle-orm'
import type { z } from 'zod'
import { mayOpen, users, mintSession } from '#fairway/server/domains/people'
import { passkeys } from '#fairway/server/domains/sign-in/tables'
import type { App } from '#fairway/server/kernel/app-context'
import type { RequestInfo } from '#fairway/server/kernel/http/request-info'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import type { SignInAnswer } from '../sign-in-answer'
import { rateLimit } from '../../../kernel/limits/rate-limit'
import { limits } from '../../../kernel/limits/limits'
import {
  requestOptions,
  userHandleOf,
  consumeChallenge,
  issueChallenge,
  challengeOf,
  type passkeyInput,
  relyingParty,
} from './ceremony'

/** The options for signing in with any passkey of this application. They name no account. */
export async function startPasskeySignIn(
  app: App,
  { clientAddress, cookieHeader }: RequestInfo,
): Promise<SignInAnswer> {
  await rateLimit(app, limits.passkeyOptionsPerAddress, addressKey(clientAddress))
  const { challenge, setCookie } = await issueChallenge(app, { cookieHeader, userId: null })
  return { body: { ...requestOptions(app.config, challenge) }, setCookies: [setCookie] }
}

/**
 * Signs in the owner of the passkey. Throws `passkey-challenge-ended`, `unknown-passkey`, `passkey-refused` and
 * `credentials-changed`.
 */
export async function signInWithPasskey(
  app: App,
  { response }: z.output<typeof passkeyInput.verify>,
  request: RequestInfo,
): Promise<SignInAnswer> {
  await rateLimit(app, limits.passkeysPerAddress, addressKey(request.clientAddress))
  const challenge = challengeOf(response.response.clientDataJSON) ?? ''
  await consumeChallenge(app, challenge, { cookieHeader: request.cookieHeader, userId: null })
  const [credential] = await app.db.orm
    .select({ passkey: passkeys, email: users.email, kind: users.kind, securityVersion: users.securityVersion })
    .from(passkeys)
    .innerJoin(users, eq(users.id, passkeys.userId))
    .where(eq(passkeys.credentialId, response.id))
  if (!credential) throw new AppError('unknown-passkey')
  const { passkey, email, kind, securityVersion } = credential
  const identity = { email, kind, emailVerified: true, provider: 'passkey' }
  if (!mayOpen(identity, app.config)) throw new AppError('dev-account-refused')
  await useUp(app, passkey, await verifyAnswer(app, challenge, passkey, response))
  const { cookie } = await mintSession(app, {
    userId: passkey.userId,
    email,
    securityVersion,
    provider: 'passkey',
    provesAddress: false,
    // User verification is required, so a passkey is two factors.
    provedSecondFactor: true,
    ipAddress: request.clientAddress,
    userAgent: request.userAgent,
    language: request.language,
    cookieHeader: request.cookieHeader,
  })
  return { body: { success: true }, setCookies: [cookie] }
}

async function verifyAnswer(
  app: App,
  expectedChallenge: string,
  { userId, credentialId, publicKey, counter }: typeof passkeys.$inferSelect,
  response: z.output<typeof passkeyInput.verify>['response'],
) {
  const { userHandle } = response.response
  if (userHandle !== undefined && userHandle !== userHandleOf(userId)) throw refused('another user')
  const { rpId, origin } = relyingParty(app.config)
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    credential: { id: credentialId, publicKey: Uint8Array.from(Buffer.from(publicKey, 'base64url')), counter },
  }).catch((cause: unknown) => {
    throw refused(cause)
  })
  if (!verified) throw refused('the signature is not right')
  return authenticationInfo
}

/** Stores the new counter if the old one is unchanged: of two responses with the same count, one is refused. */
async function useUp(
  app: App,
  { id, counter }: typeof passkeys.$inferSelect,
  answer: { newCounter: number; credentialBackedUp: boolean },
): Promise<void> {
  const [row] = await app.db.orm
    .update(passkeys)
    .set({ counter: answer.newCounter, backedUp: answer.credentialBackedUp, lastUsedAt: app.now() })
    .where(and(eq(passkeys.id, id), eq(passkeys.counter, counter)))
    .returning({ id: passkeys.id })
  if (!row) throw refused('the counter has changed meanwhile, or the passkey is gone')
}

const refused = (cause: unknown): AppError => new AppError('passkey-refused', { cause })
