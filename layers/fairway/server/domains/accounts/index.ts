export { confirmingStatements } from './confirm-address'
export { devAccountState, ensureDevAccount, holdsRefusedDevAccount, rememberDevSignOut } from './dev-account'
export { passkeyChallenges, passkeys, twoFactor, twoFactorBackupCodes, twoFactorSignIns } from './factor-tables'
export { ensurePerson, type VouchedPerson } from './ensure-person'
export {
  credentialsChanged,
  endGrantsStatement,
  endSessionsStatements,
  endUnderWayStatements,
  holdsSession,
  holdsVersion,
  outdateSignIns,
  SESSION_HOLDS,
} from './end-access'
export { linkProviderAccount, type ProviderProfile } from './link-provider-account'
export { linkVerifiedAddress } from './link-verified-address'
export { checkPassword } from './password-policy'
export { findLocalIdentity } from './local-identity'
export { personSettings, personState, type PersonValues } from './person-values'
export {
  findPerson,
  noteUnprovedAccount,
  passwordHashOf,
  type Person,
  proveAddress,
  replacePassword,
} from './prove-address'
export { accounts, sessions, users, verifications } from './tables'
export { ACTIVE_ORG_SETTING, writeUserSetting } from './user-settings'
