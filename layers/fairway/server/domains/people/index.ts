export {
  confirmingStatements,
  ensurePerson,
  noteUnprovedAccount,
  peopleRows,
  usesProvider,
  verifyEmail,
} from './accounts'
export {
  AUTH_DISABLED_PROVIDER,
  deletePersonStatement,
  findPerson,
  isLocalIdentity,
  isOperator,
  findPersonId,
  mayOpen,
  mayOpenSql,
  LOCAL_PEOPLE,
  OPEN_CLAIM,
  PEOPLE,
  PERSON_TEXT,
  type Person,
  personColumns,
  personJoin,
  type PersonRow,
  requireOperator,
  suspendedError,
  suspendedUntilSql,
} from './person'
export {
  findAccounts,
  personOfSession,
  shownNameSql,
  shownPersonSql,
  toShownPerson,
  withAccounts,
} from './shown-person'
export { checkNotSuspended, endSessionsOf, reactivatePerson, suspendPerson } from './suspension'
export { countPeople, findPersonDetails, listPeople } from './people-list'
export { acceptShownTerms, acceptTerms, checkTermsTicked, isTermsDue, owesFirstTerms } from './terms'
export {
  endSessionById,
  findSessionProof,
  endSessionsByToken,
  hasSessionFrom,
  isSessionLive,
  lastActiveSql,
  liveSessionCount,
  newExpiry,
  newestSignIn,
  provesAddressStatement,
  provesSecondFactorStatement,
  listSessions,
  listSessionsOf,
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
  deleteSessionsStatement,
  endGrantsOf,
  endSessionsStatements,
  endUnderWayStatements,
  holdsSecurityVersion,
  outdateSignIns,
  SECURITY_VERSION_HOLDS,
  SESSION_HOLDS,
} from './end-access'
export { linkedUserOf, linkProviderAccount, type ProviderProfile, linkVerifiedAddress } from './link-provider-account'
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
  inboxTopicsOff,
  languageOfPerson,
  onceSettingSql,
  rememberLanguage,
  settingJoin,
  switchInboxTopic,
  writeSettingSql,
  writeUserSetting,
} from './person-values'
export { mailPeople, mailsOfAccounts, notifyPeople } from './mail-people'
export {
  countUnread,
  type InboxReader,
  listNotifications,
  listSignalsAfter,
  newestSignal,
  purgeNotifications,
  readNotifications,
  signalInbox,
  writeNotification,
} from './notifications'
export { findAccountsOf, type ImportedAccount, importAccountStatements, type KnownAccount } from './import-accounts'
export { requirePicture } from './pictures'
export {
  type AddressChange,
  type AddressLink,
  askForAddress,
  cancelAddressChange,
  confirmAddress,
  decideAddress,
  findAddressChange,
  findAddressLink,
  issueAddressLink,
  purgeAddressChanges,
} from './address-change'
export { tellAddressChange } from './tell-address-change'
export { callLibrary, createPasswordAccount, getPasswordHasher } from './auth-library/call-library'
export { knownBrowserCookie, knownPlaceOf } from './known-browser'
export { leadOn, mintSession, renewedSession } from './mint-session'
export { endedSessionCookie, readSessionTokens, sessionCookie, sessionCookieName } from './session-cookie'
export {
  afterSignIn,
  mailNotice,
  noteAccountEvent,
  tellOwner,
  tellOwnerOfToken,
  requestInWords,
  deviceInWords,
  readDevice,
} from './devices'
export {
  approveWaitingBrowser,
  checkMailedCode,
  checkWaitingBrowser,
  type EmailLink,
  endedFlowCookie,
  endEmailLinks,
  endEmailLinksStatement,
  findEmailLink,
  findEndedLink,
  findWaitingLink,
  issueEmailLink,
  returnPathFor,
  setsPassword,
  spendEmailLink,
} from './email-link'
