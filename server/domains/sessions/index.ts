export { endSession } from './end-session'
export { freshSession, getSession, requireSession } from './get-session'
export { sweepSessions } from './sweep-sessions'
export { libraryCookie } from './sources/library-cookie'
