export { toLanguage } from './claim-texts'
export { decideClaim } from './decide-claim'
export { showClaim } from './show-claim'
