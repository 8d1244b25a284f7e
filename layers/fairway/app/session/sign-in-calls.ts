import * as z from 'zod/mini'
import { AUTH_PREFIX } from '#fairway/shared/paths'
import { ActionFailure } from '../request/action-failure'
import { sendJson } from '../request/send-json'

/** Calls an endpoint of the sign-in. Throws ActionFailure. */
export const postSignIn = (path: string, body: object): Promise<unknown> =>
  sendJson(`${AUTH_PREFIX}/${path}`, { method: 'POST', body })

/** Signs in with a passkey. False when the person closed the browser’s dialog. Throws ActionFailure. */
export async function signInByPasskey(): Promise<boolean> {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  type Options = Parameters<typeof startAuthentication>[0]['optionsJSON']
  const optionsJSON = (await postSignIn('passkey/options', {})) as Options
  // Browsers don't distinguish a cancelled dialog from a failed one, so no error is shown.
  const response = await startAuthentication({ optionsJSON }).catch(() => undefined)
  if (!response) return false
  await postSignIn('passkey/verify', { response })
  return true
}

const startAnswer = z.object({ url: z.string() })

/** The address of a sign-in at the provider of the organization that has the domain of an address; undefined for none. */
export async function findConnectionUrl(body: { email: string; callbackURL: string }): Promise<string | undefined> {
  try {
    return startAnswer.parse(await postSignIn('sign-in/connection', body)).url
  } catch (thrown) {
    if (thrown instanceof ActionFailure && thrown.code === 'no-connection') return undefined
    throw thrown
  }
}
