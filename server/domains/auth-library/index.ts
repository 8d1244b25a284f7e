export { callLibrary, type LibraryAnswer, returnToLibrary } from './call-library'
export { mintSession } from './mint-session'
export { endedSessionCookie, readSessionTokens, sessionCookie, sessionCookieName } from './session-cookie'
export { SESSION_LIFE_IN_SECONDS, SESSION_LIMIT_IN_SECONDS } from './session-life'
