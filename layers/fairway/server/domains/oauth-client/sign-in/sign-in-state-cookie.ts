import { stateCookie } from '#fairway/server/kernel/http/cookie'

/** The states of the sign-ins that a browser has under way. */
export const signInStateCookie = stateCookie('provider_state')
