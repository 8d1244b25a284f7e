export { countAttempt, forgetAttempts, sweepRateLimits, type Limit } from './count-attempt'
