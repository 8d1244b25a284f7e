import type { ErrorCode } from './errors'
import { CLAIM_PATH, SIGN_IN_AGAIN, SIGN_IN_PATH } from './paths'

interface SignInVisit {
  /** The error on the way; the page shows it in words. */
  error?: ErrorCode
  /** Where to go afterwards. */
  returnPath?: string
  /** For a signed-in user who must sign in again, or as another user. */
  again?: boolean
}

/** The path of the sign-in page for this visit. */
export function signInPathFor({ error, returnPath, again = false }: SignInVisit): string {
  const query = new URLSearchParams({
    ...(error ? { error } : {}),
    ...(returnPath ? { return: returnPath } : {}),
    ...(again ? { [SIGN_IN_AGAIN]: '1' } : {}),
  })
  return `${SIGN_IN_PATH}?${query}`
}

/**
 * Returns the path of the page that asks a person to review an account, and then redirects to `returnPath`. A path that already
 * leads there is returned unchanged.
 */
export const claimPathFor = (returnPath: string): string =>
  returnPath.split('?', 1)[0] === CLAIM_PATH
    ? returnPath
    : `${CLAIM_PATH}?${new URLSearchParams({ return: returnPath })}`
