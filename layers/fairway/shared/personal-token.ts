/** How every personal token begins, so that scanners of secrets find one that was left somewhere. */
export const PERSONAL_TOKEN_PREFIX = 'fwp_'

/** For how many days a personal token may be made. */
export const TOKEN_DAYS = [7, 30, 90, 365] as const

/** Whether a credential says that it is a personal token; it may still open nothing. */
export const isPersonalToken = (credential: string | undefined): credential is string =>
  credential?.startsWith(PERSONAL_TOKEN_PREFIX) ?? false
