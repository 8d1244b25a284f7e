export {
  addressInput,
  addressState,
  askForNewAddress,
  mailAddressLinksAgain,
  showAddressLink,
  submitAddressLink,
  withdrawAddressChange,
} from './account/change-address'
export { deleteAccount, deleteAccountInput, planAccountEnd } from './account/delete-account'
export { exportAccount } from './account/export-account'
export { decideClaim, showClaim, signInRows } from './claim/claim'
export { linkInput, startLinking, unlinkAccount } from './linked-accounts'
export { openLinkSchema, showLink, submitLink } from './open-link'
export { passkeyInput } from './passkeys/ceremony'
export { signInWithPasskey, startPasskeySignIn } from './passkeys/passkey-sign-in'
export { addPasskey, listPasskeys, removePasskey, renamePasskey, startPasskeyRegistration } from './passkeys/passkeys'
export { readySignIn, showSignIn, submitSignIn } from './sign-in-form'
export { checkCallbacks, findAuthEndpoint, signInMethods } from './sign-in-methods'
export { signInWithCode, twoFactorInput, twoFactorSealedColumns } from './two-factor/second-factor'
export { activateTwoFactor, endTwoFactor, renewBackupCodes, startTwoFactor, twoFactorState } from './two-factor/setup'
