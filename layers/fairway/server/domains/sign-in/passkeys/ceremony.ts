// A passkey ceremony (WebAuthn): the input of endpoints, the one-time challenge, and the options for browsers.
// `@simplewebauthn/server` needs a global that `reflect-metadata` defines; the bundler would drop it
// (`nitro.moduleSideEffects`).
// It is loaded only to verify a response, so the options are built here.
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
import { nameSchema } from '#fairway/shared/schemas/name'
import type { Session } from '#fairway/shared/schemas/session'

// A response of an authenticator has a few hundred bytes; the attestation of a security key has a few thousand.
const base64url = z
  .string()
  .max(16_384)
  .regex(/^[\w-]+$/)

// Other fields that browsers send (extensions) are unused and not read.
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

/** The input of the passkey endpoints. */
export const passkeyInput = {
  registration: z.object({ response: registrationResponse, name: nameSchema(60).optional() }),
  rename: z.object({ name: nameSchema(60) }),
  options: z.object({}),
  verify: z.object({ response: authenticationResponse }),
}

const clientDataSchema = z.object({ challenge: base64url })

/** The challenge in a browser's response. Undefined when the text does not have a browser's format. */
export function challengeOf(clientDataJSON: string): string | undefined {
  const data = jsonOf(Buffer.from(clientDataJSON, 'base64url').toString('utf8'))
  return clientDataSchema.safeParse(data).data?.challenge
}

const COOKIE = 'passkey'
/** How long a challenge is valid: 5 minutes. */
const CHALLENGE_LIFE_IN_SECONDS = 5 * 60

/** An open challenge. Its subject is the user who adds a passkey; at sign-in there is none. */
export const passkeyChallenge: OneTimePurpose<null> = {
  name: 'passkey-challenge',
  lifeInSeconds: CHALLENGE_LIFE_IN_SECONDS,
  payload: z.null(),
}

interface Asker {
  cookieHeader?: string
  /** The user who adds a passkey; null at sign-in. */
  userId: string | null
}

/** Creates a challenge for this browser. Returns it with the `Set-Cookie` value that binds it. */
export async function issueChallenge(
  app: App,
  { cookieHeader, userId }: Asker,
): Promise<{ challenge: string; setCookie: string }> {
  const challenge = randomToken(32)
  // All tabs share one cookie, so a second tab does not cancel the challenge of the first.
  const browser = readCookie(app.config, COOKIE, cookieHeader) ?? randomToken(32)
  await issueOneTime(app, passkeyChallenge, { secret: challenge, browser, subject: userId, payload: null })
  return { challenge, setCookie: setCookieValue(app.config, COOKIE, browser, CHALLENGE_LIFE_IN_SECONDS) }
}

/** Uses up a challenge. Throws `passkey-challenge-ended` when it is expired, used, or for another browser or purpose. */
export async function consumeChallenge(app: App, challenge: string, { cookieHeader, userId }: Asker): Promise<void> {
  const browser = readCookie(app.config, COOKIE, cookieHeader)
  const spent = browser && (await spendOneTime(app, passkeyChallenge, challenge, { browser, subject: userId }))
  if (!spent) throw new AppError('passkey-challenge-ended')
}

/** The accepted signature algorithms (COSE), in order of preference: EdDSA, ES256, RS256. */
export const ALGORITHMS = [-8, -7, -257]

// Both kinds of options are built here: the library is large and loaded only to verify a response.
const timeout = CHALLENGE_LIFE_IN_SECONDS * 1000

interface KnownPasskey {
  credentialId: string
  transports: string
}

/** The options for creating a person's passkey: discoverable at sign-in and with user verification. */
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

/** The options for requesting a passkey of this application. They name no account. */
export const requestOptions = (config: Config, challenge: string): PublicKeyCredentialRequestOptionsJSON => ({
  challenge,
  timeout,
  rpId: relyingParty(config).rpId,
  userVerification: 'required',
  allowCredentials: [],
})

/** The user handle in a passkey: the user's id, which contains no personal data. */
export const userHandleOf = (userId: string): string => Buffer.from(userId).toString('base64url')

/** The host and origin that passkeys are bound to: from the configured base URL, never from the request. */
export function relyingParty({ baseUrl }: Pick<Config, 'baseUrl'>): { rpId: string; origin: string } {
  const { hostname, origin } = new URL(baseUrl)
  return { rpId: hostname, origin }
}
