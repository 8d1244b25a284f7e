// A passkey ceremony (WebAuthn): what endpoints accept, the challenge that is answered once, and the options that a browser gets.
// `@simplewebauthn/server` needs a global that `reflect-metadata` makes; the bundler would drop it (`nitro.moduleSideEffects`).
// It is loaded when there is an answer to verify, so the options are written here.
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import type { Config } from '#fairway/server/kernel/config/config'
import { randomToken } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { readCookie, setCookieValue } from '#fairway/server/kernel/http/cookie'
import { jsonOf } from '#fairway/server/kernel/declaration'
import { issueOneTime, type OneTimePurpose, spendOneTime } from '#fairway/server/kernel/one-time/one-time'
import type { Session } from '#fairway/shared/schemas/session'

// An authenticator's answer is a few hundred bytes; the attestation of a security key a few thousand.
const base64url = z
  .string()
  .max(16_384)
  .regex(/^[\w-]+$/)

const nameText = z
  .string()
  .trim()
  .min(1)
  .max(60)
  .regex(/^[^\p{Cc}]*$/u, 'Control characters are not accepted.')

// What a browser sends beyond this (extensions) is not used, so it is not read.
const credential = {
  id: base64url,
  rawId: base64url,
  type: z.literal('public-key'),
  clientExtensionResults: z.unknown().transform(() => ({})),
}

const registrationResponse = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z
      .array(z.string().regex(/^[a-z-]{1,20}$/))
      .max(10)
      .optional()
      .catch(undefined),
  }),
})

const authenticationResponse = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.nullish().transform(handle => handle ?? undefined),
  }),
})

/** What the endpoints of passkeys accept. */
export const passkeyInput = {
  registration: z.object({ response: registrationResponse, name: nameText.optional() }),
  rename: z.object({ name: nameText }),
  options: z.object({}),
  verify: z.object({ response: authenticationResponse }),
}

const clientDataSchema = z.object({ challenge: base64url })

/** The challenge that a browser says it answers; undefined when the text is not what a browser would send. */
export function challengeOf(clientDataJSON: string): string | undefined {
  const data = jsonOf(Buffer.from(clientDataJSON, 'base64url').toString('utf8'))
  return clientDataSchema.safeParse(data).data?.challenge
}

const COOKIE = 'passkey'
/** How long a challenge may be answered: 5 minutes. */
const CHALLENGE_LIFE_IN_SECONDS = 5 * 60

/** A challenge that waits for its answer; its subject is the user whose passkey is being added, and none at sign-in. */
export const passkeyChallenge: OneTimePurpose<null> = {
  name: 'passkey-challenge',
  lifeInSeconds: CHALLENGE_LIFE_IN_SECONDS,
  payload: z.null(),
}

interface Asker {
  cookieHeader?: string
  /** Whose passkey is being added; null at sign-in. */
  userId: string | null
}

/** Makes a challenge for this browser: the challenge, and the `Set-Cookie` value that binds it. */
export async function issueChallenge(
  app: App,
  { cookieHeader, userId }: Asker,
): Promise<{ challenge: string; setCookie: string }> {
  const challenge = randomToken(32)
  // One cookie for all tabs: a second tab does not end what the first one has begun.
  const browser = readCookie(app.config, COOKIE, cookieHeader) ?? randomToken(32)
  await issueOneTime(app, passkeyChallenge, { secret: challenge, browser, subject: userId, payload: null })
  return { challenge, setCookie: setCookieValue(app.config, COOKIE, browser, CHALLENGE_LIFE_IN_SECONDS) }
}

/** Uses a challenge up, which works once; throws `passkey-challenge-ended` when it is not this browser's, not for this purpose, or over. */
export async function consumeChallenge(app: App, challenge: string, { cookieHeader, userId }: Asker): Promise<void> {
  const browser = readCookie(app.config, COOKIE, cookieHeader)
  const spent = browser && (await spendOneTime(app, passkeyChallenge, challenge, { browser, subject: userId }))
  if (!spent) throw new AppError('passkey-challenge-ended')
}

/** The signatures that are accepted, as COSE algorithms, the preferred one first: EdDSA, ES256, RS256. */
export const ALGORITHMS = [-8, -7, -257]

// Both are written here: the library, which is large, is loaded when there is an answer to verify.
const timeout = CHALLENGE_LIFE_IN_SECONDS * 1000

interface KnownPasskey {
  credentialId: string
  transports: string
}

/** What a browser needs to make a passkey for a person: one that it finds by itself at sign-in and that its owner unlocks. */
export function creationOptions(
  config: Config,
  { userId, email, name }: Session,
  challenge: string,
  known: readonly KnownPasskey[],
): PublicKeyCredentialCreationOptionsJSON {
  return {
    challenge,
    timeout,
    rp: { id: relyingParty(config).rpId, name: config.name },
    user: { id: userHandleOf(userId), name: email, displayName: name },
    pubKeyCredParams: ALGORITHMS.map(alg => ({ type: 'public-key', alg })),
    attestation: 'none',
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    excludeCredentials: known.map(({ credentialId, transports }) => ({
      type: 'public-key',
      id: credentialId,
      transports: transports.split(',').filter(Boolean),
    })),
  }
}

/** What a browser needs to ask for a passkey of this application; it names no account. */
export const requestOptions = (config: Config, challenge: string): PublicKeyCredentialRequestOptionsJSON => ({
  challenge,
  timeout,
  rpId: relyingParty(config).rpId,
  userVerification: 'required',
  allowCredentials: [],
})

/** The user handle that a passkey keeps: the user's id, which says nothing about the person. */
export const userHandleOf = (userId: string): string => Buffer.from(userId).toString('base64url')

/** What passkeys are bound to: the host and the origin of the configured base URL, never of the request. */
export function relyingParty({ baseUrl }: Pick<Config, 'baseUrl'>): { rpId: string; origin: string } {
  const { hostname, origin } = new URL(baseUrl)
  return { rpId: hostname, origin }
}
