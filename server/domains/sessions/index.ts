export { endSession } from './end-session'
export { getSession, requireSession } from './get-session'
export { sweepSessions } from './sweep-sessions'
