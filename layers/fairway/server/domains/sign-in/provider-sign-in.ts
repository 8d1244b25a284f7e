import { z } from 'zod'
import type { LibraryAnswer } from '#fairway/server/domains/people'
import { startProviderSignIn } from '#fairway/server/domains/oauth-client'
import type { App } from '#fairway/server/kernel/app-context'
import { IDENTITY_LOGIN_PATH, SIGN_IN_AGAIN } from '#fairway/shared/paths'
import type { Visitor } from './visitor'

/** What the button of the identity hub submits as its provider. */
export const HUB = 'hub'

/** The host of the identity hub that the sign-in page offers; undefined without one, and where only the desktop knows it. */
export function offeredHub({ config }: App): string | undefined {
  const { client } = config.identity
  return client && !client.isDesktopOnly ? new URL(client.url).host : undefined
}

/** Where signing in through the hub begins, for somebody who may be signed in already or shall sign in once more. */
export const hubLoginPath = (returnPath: string, isAgain: boolean): string =>
  `${IDENTITY_LOGIN_PATH}?${new URLSearchParams({ return: returnPath, ...(isAgain ? { [SIGN_IN_AGAIN]: '1' } : {}) })}`

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
  const { url, setCookies } = await startProviderSignIn(app, { provider, returnPath, clientAddress, cookieHeader })
  return { body: { url, redirect: false }, setCookies }
}
