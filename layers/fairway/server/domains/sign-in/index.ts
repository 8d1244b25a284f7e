export { addressInput, showAddressLink, submitAddressLink } from './account/change-address'
export { deleteAccount, planAccountEnd } from './account/delete-account'
export { exportAccount } from './account/export-account'
export { decideClaim, showClaim, signInRows } from './claim/claim'
export { finishLink } from './connection-link'
export {
  assertionIssuersSchema,
  checkedIssuers,
  endConnection,
  initiateConnection,
  testConnection,
} from './connection-sign-in'
export { unlinkAccount } from './linked-accounts'
export { openLinkSchema, showLink, submitLink } from './open-link'
export { signInWithPasskey, startPasskeySignIn } from './passkeys/passkey-sign-in'
export { addPasskey, listPasskeys, startPasskeyRegistration } from './passkeys/passkeys'
export { readySignIn, showSignIn, submitSignIn } from './sign-in-form'
export { checkCallbacks, findAuthEndpoint, signInMethods } from './sign-in-methods'
export { signInWithCode, twoFactorSealedColumns } from './two-factor/second-factor'
export { LanguageForm } from './page-parts'
export { decideTerms, showTerms } from './terms-page'
export {
  activateTwoFactor,
  endTwoFactor,
  renewBackupCodes,
  resetTwoFactor,
  startTwoFactor,
  twoFactorState,
} from './two-factor/setup'
