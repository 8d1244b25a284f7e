export { confirmingStatements } from './accounts/confirm-address'
export { devAccountState, ensureDevAccount, holdsRefusedDevAccount, rememberDevSignOut } from './accounts/dev-account'
export { passkeys, twoFactor, twoFactorBackupCodes, sessions, users } from './tables'
export { ensurePerson, type VouchedPerson } from './accounts/ensure-person'
export {
  credentialsChanged,
  endGrantsStatement,
  endSessionsStatements,
  endUnderWayStatements,
  holdsSession,
  holdsVersion,
  outdateSignIns,
  SESSION_HOLDS,
} from './accounts/end-access'
export { linkProviderAccount, type ProviderProfile } from './accounts/link-provider-account'
export { linkVerifiedAddress } from './accounts/link-verified-address'
export { checkPassword } from './accounts/password-policy'
export { findLocalIdentity } from './accounts/local-identity'
export { personSettings, personState, type PersonValues } from './accounts/person-values'
export {
  findPerson,
  noteUnprovedAccount,
  passwordHashOf,
  type Person,
  verifyEmail,
  replacePassword,
} from './accounts/verify-email'
export { ACTIVE_ORG_SETTING, writeUserSetting } from './accounts/user-settings'
export { callLibrary } from './auth-library/call-library'
export { getPasswordHasher } from './auth-library/get-library'
export { confirmPassword, findUserByPassword, hasPassword } from './auth-library/check-password'
export { leadOn, mintSession, renewedSession } from './auth-library/mint-session'
export { endedSessionCookie, readSessionTokens, sessionCookie, sessionCookieName } from './auth-library/session-cookie'
export { SESSION_LIFE_IN_SECONDS, SESSION_LIMIT_IN_SECONDS } from './auth-library/session-life'
export { afterSignIn } from './devices/after-sign-in'
export { tellOwner } from './devices/tell-owner'
export { deviceInWords, readDevice } from './devices/read-device'
export {
  approveWaitingBrowser,
  checkWaitingBrowser,
  type EmailLink,
  endedFlowCookie,
  endEmailLinks,
  endEmailLinksStatement,
  findEmailLink,
  issueEmailLink,
  returnPathFor,
  setsPassword,
  spendEmailLink,
} from './email-link'
