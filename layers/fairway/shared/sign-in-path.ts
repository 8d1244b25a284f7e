import type { ErrorCode } from './errors'
import { CLAIM_PATH, SIGN_IN_AGAIN, SIGN_IN_PATH } from './paths'

interface SignInVisit {
  /** What went wrong on the way; the page says it in words. */
  error?: ErrorCode
  /** Where to go afterwards. */
  returnPath?: string
  /** For a signed-in user who must sign in once more, or as another user. */
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

/** The path of the page that asks whose an account is, and then goes on to `returnPath`; a path that leads there already stays as it is. */
export const claimPathFor = (returnPath: string): string =>
  returnPath.split('?', 1)[0] === CLAIM_PATH
    ? returnPath
    : `${CLAIM_PATH}?${new URLSearchParams({ return: returnPath })}`
