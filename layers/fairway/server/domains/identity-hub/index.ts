// The client's side: an application whose people sign in through a hub.
export { endHubSignIn } from './client/end-hub-sign-in'
export { findHubClient } from './client/find-hub-client'
export { sweepIdentityStates } from './client/identity-state'
export { startHubSignIn } from './client/start-hub-sign-in'
// The hub's side.
export { authorizeIdentity } from './hub/authorize'
export { checkRegistration, REGISTRATION_SUBJECT } from './hub/check-registration'
export { sweepIdentityCodes } from './hub/identity-code'
export { countIdentityTokenRequest, redeemIdentityCode } from './hub/redeem-code'
export { describeDifference, registrationAnswerSchema } from './hub/registration-answer'
export { isIdentityHub, requireHub } from './hub/require-hub'
export { toTokenRefusal } from './hub/token-refusal'
export { readTokenRequest } from './hub/token-request'
