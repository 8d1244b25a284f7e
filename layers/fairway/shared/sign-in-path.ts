import type { ErrorCode } from './errors'
import { SIGN_IN_AGAIN, SIGN_IN_PATH } from './paths'

interface SignInVisit {
  /** What went wrong on the way; the page says it in words. */
  error?: ErrorCode
  /** Where to go afterwards. */
  returnPath?: string
  /** For a person who is signed in and shall sign in once more, or with another account. */
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
