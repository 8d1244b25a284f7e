import { z } from 'zod'
import { jsonOf } from '#fairway/server/kernel/declaration'

// An authenticator's answer is a few hundred bytes; the attestation of a security key a few thousand.
const base64url = z
  .string()
  .max(16_384)
  .regex(/^[\w-]+$/)

const nameText = z
  .string('Enter a name.')
  .trim()
  .min(1, 'Enter a name.')
  .max(60, 'Use at most 60 characters.')
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
