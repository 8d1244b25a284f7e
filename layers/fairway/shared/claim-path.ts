import { CLAIM_PATH } from './paths'

/** The path of the page that asks whose an account is, and then goes on to `returnPath`; a path that leads there already stays as it is. */
export const claimPathFor = (returnPath: string): string =>
  returnPath.split('?', 1)[0] === CLAIM_PATH
    ? returnPath
    : `${CLAIM_PATH}?${new URLSearchParams({ return: returnPath })}`
