export { countAttempt, forgetAttempts, returnAttempt, sweepRateLimits } from './count-attempt'
export { countLocally } from './count-locally'
export { limits, type Limit } from './limits'
