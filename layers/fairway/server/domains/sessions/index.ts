export {
  actAs,
  type ActorRow,
  copyOf,
  memberActor,
  openSession,
  sessionOfActing,
  type ServerSession,
  unconfirmedError,
} from './act-as'
export { readySession } from './cookie-session'
export { endDevice, endOtherDevices, endSession } from './devices'
export {
  freshSession,
  getSession,
  hasRecentSignIn,
  requireSession,
  sessionNow,
  withRequestRun,
  admitWrites,
  requireRecentSignIn,
  requireFreshProof,
  proofOf,
  signedInAt,
} from './get-session'
export { defineLocalMigration, type LocalMigrationContext, callHook } from './local-migration/template-hook'
export { countLocalData, moveLocalData } from './local-migration/move-local-data'
export {
  actAsServiceAccount,
  openServiceAccount,
  type ServiceActorRow,
  serviceActorSql,
} from './service-account-session'
export { sessionCookie } from './sources'
export { startView } from './view-as'
