import { z } from 'zod'
import type { LibraryAnswer } from '#server/domains/auth-library'
import { startProviderSignIn } from '#server/domains/provider-sign-in'
import type { App } from '#server/foundation/app-context'
import type { Visitor } from './visitor'

export const providerSchema = z.object({
  provider: z.string().min(1).max(64),
  callbackURL: z.string().optional(),
})

/** Begins signing in with a provider: `url` is where the browser goes next. Throws `unknown-provider`, and `unavailable` when it cannot be reached. */
export async function startProvider(
  app: App,
  { provider, callbackURL: returnPath }: z.output<typeof providerSchema>,
  { clientAddress, cookieHeader }: Visitor,
): Promise<LibraryAnswer> {
  const { url, setCookie } = await startProviderSignIn(app, { provider, returnPath, clientAddress, cookieHeader })
  return { body: { url, redirect: false }, setCookies: [setCookie] }
}
