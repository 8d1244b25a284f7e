import type { z } from 'zod'
import type { LibraryAnswer } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import type { passkeyInput } from './passkeys/passkey-input'
import { signInWithPasskey, startPasskeySignIn } from './passkeys/passkey-sign-in'
import { signInWithCode } from './two-factor/second-factor-sign-in'
import type { Visitor } from './visitor'

/** What a browser needs to ask for a passkey. */
export async function passkeyOptions(app: App, _input: unknown, visitor: Visitor): Promise<LibraryAnswer> {
  const { options, setCookie } = await startPasskeySignIn(app, visitor)
  return { body: { ...options }, setCookies: [setCookie] }
}

/** Signs in whoever's passkey has answered. */
export async function passkeySignIn(
  app: App,
  input: z.output<typeof passkeyInput.verify>,
  visitor: Visitor,
): Promise<LibraryAnswer> {
  return { body: { success: true }, setCookies: [await signInWithPasskey(app, input, visitor)] }
}

/** Ends a password sign-in with the code of the second factor. */
export async function codeSignIn(app: App, input: { code: string }, visitor: Visitor): Promise<LibraryAnswer> {
  return { body: { success: true }, setCookies: await signInWithCode(app, input, visitor) }
}
