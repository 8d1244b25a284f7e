export { confirmingStatements, ensurePerson, noteUnprovedAccount, usesProvider, verifyEmail } from './accounts'
export {
  AUTH_DISABLED_PROVIDER,
  findPerson,
  findPersonId,
  isLocalIdentity,
  mayOpen,
  mayOpenSql,
  LOCAL_PEOPLE,
  PEOPLE,
  type Person,
  personColumns,
  personJoin,
  type PersonRow,
  withAddresses,
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
export { users } from './tables'
export {
  credentialsChanged,
  deleteSessionsStatement,
  endGrantsOf,
  endSessionsStatements,
  endUnderWayStatements,
  holdsSession,
  holdsSecurityVersion,
  outdateSignIns,
  SECURITY_VERSION_HOLDS,
  SESSION_HOLDS,
} from './end-access'
export { linkProviderAccount, type ProviderProfile, linkVerifiedAddress } from './link-provider-account'
export { isLinked, linkToPerson, listLinkedAccounts, otherWayIn, unlinkStatements } from './linked-accounts'
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
export { callLibrary, getPasswordHasher } from './auth-library/call-library'
export { leadOn, mintSession, renewedSession } from './mint-session'
export { endedSessionCookie, readSessionTokens, sessionCookie, sessionCookieName } from './session-cookie'
export { afterSignIn, noteAccountEvent, tellOwner, deviceInWords, readDevice } from './devices'
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
