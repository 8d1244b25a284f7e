export { countAttempt, forgetAttempts, returnAttempt, sweepRateLimits } from './count-attempt'
export { limits, type Limit } from './limits'
