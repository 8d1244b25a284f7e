export { confirmingStatements, ensurePerson, noteUnprovedAccount, usesProvider, verifyEmail } from './accounts'
export {
  AUTH_DISABLED_PROVIDER,
  findPerson,
  isLocalIdentity,
  mayOpen,
  mayOpenSql,
  LOCAL_PEOPLE,
  PEOPLE,
  type Person,
  personColumns,
  personJoin,
  type PersonRow,
} from './person'
export {
  endSessionById,
  endSessionsByToken,
  hasSessionFrom,
  isSessionLive,
  liveSessionCount,
  provesAddressStatement,
  listSessions,
  purgeSessions,
  rollSession,
  sessionByToken,
  type SessionRow,
  touchSession,
} from './session-rows'
export {
  devAccountState,
  ensureDevAccount,
  holdsRefusedDevAccount,
  rememberDevSignOut,
  findLocalPerson,
} from './local-people'
export { passkeyChallenges, passkeys, twoFactor, twoFactorBackupCodes, twoFactorSignIns, users } from './tables'
export {
  credentialsChanged,
  deleteSessionsStatement,
  endGrantsOf,
  endSessionsStatements,
  endUnderWayStatements,
  holdsSession,
  holdsSecurityVersion,
  outdateSignIns,
  SESSION_HOLDS,
} from './end-access'
export { linkProviderAccount, type ProviderProfile, linkVerifiedAddress } from './link-provider-account'
export {
  checkPassword,
  confirmPassword,
  findUserByPassword,
  hasPassword,
  passwordHashOf,
  replacePassword,
} from './passwords'
export {
  personSettings,
  personState,
  type PersonValues,
  ACTIVE_ORG_SETTING,
  HOOK_SETTING,
  onceSettingSql,
  peopleRows,
  settingJoin,
  writeSettingSql,
  writeUserSetting,
} from './person-values'
export { callLibrary, type LibraryAnswer, getPasswordHasher } from './auth-library/call-library'
export { leadOn, mintSession, type NewSession, renewedSession } from './mint-session'
export { endedSessionCookie, readSessionTokens, sessionCookie, sessionCookieName } from './session-cookie'
export { verifyIdToken } from './auth-library/verify-id-token'
export { afterSignIn, tellOwner, deviceInWords, readDevice } from './devices'
export type { EmailLink } from './one-time/email-link'
export { endedFlowCookie } from './one-time/flow-cookie'
export { issueEmailLink } from './one-time/issue-email-link'
export { endEmailLinks, findEmailLink, purgeEmailLinks, spendEmailLink } from './one-time/open-email-link'
export { approveWaitingBrowser, checkWaitingBrowser } from './one-time/waiting-browser'
