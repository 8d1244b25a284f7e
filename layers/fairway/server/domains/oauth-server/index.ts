export { authenticateAccessToken, findGrantAccess } from './authenticate-access-token'
export type { McpAccess } from './mcp-access'
export { countRequest, sendPageAnswer } from './authorization-endpoint'
export { decideConsent, showConsent } from './authorize/consent'
export { consentVisit } from './authorize/consent-visit'
export { advertisesDocuments, findDocumentOutage } from './clients/document-outage'
export { purgeOAuthClients, registerClient } from './clients/registration'
export { claimAccessReviews } from './access-review'
export { grantAndIssueCode } from './code-grant'
export {
  desktopAvailability,
  hasDesktopPart,
  isDesktopHub,
  isWorkspaceSsoOn,
  setWorkspaceSso,
} from './desktop/availability'
export { beginCeremony, beginCeremonySchema, ceremonyPath, currentSnapshot, exchangeCeremony } from './desktop/ceremony'
export { type CeremonyVisit, decideCeremony, showCeremony, showCompletion } from './desktop/confirm-ceremony'
export { offersDevices } from './device/device-codes'
export { atDevicePage, showDevice } from './device/device-consent'
export { askForDevice } from './device/device-grant'
export { oauthServerRows } from './grant-rows'
export { noteUse } from './grant-use'
export { disconnectApp, findLiveGrants, hostNames, listGrants } from './grants'
export { purgeOAuth } from './purge-oauth'
export { authorizeIdentity } from './hub/authorize'
export {
  checkRegistration,
  describeDifference,
  isIdentityHub,
  REGISTRATION_SUBJECT,
  registrationAnswerSchema,
  requireHub,
} from './hub/registration'
export { readTokenRequest, redeemIdentityCode, toTokenRefusal } from './hub/token'
export {
  authorizationServerMetadata,
  mcpChallenge,
  METADATA_CACHING,
  openMethods,
  protectedResourceMetadata,
} from './metadata'
export { OAuthError, toOAuthAnswer } from './oauth-error'
export { oauthSealedColumns } from './root-mark'
export { makePersonalToken, PERSONAL_TOKEN_CLIENT } from './personal-tokens'
export { publicKeys, retireSigningKeys } from './signing-keys'
export { answerTokenRequest, revokeToken } from './token-endpoint'
