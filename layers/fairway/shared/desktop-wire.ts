// The formats and addresses that a desktop program shares with hubs, applications and their pages: `nuxt-fairway/desktop-wire`.
export { EMAIL_ADDRESS } from './email-address'
export { isLoopbackHost } from './loopback'
export { createMutex, type Mutex } from './mutex'
export {
  DESKTOP_CEREMONIES_PATH,
  DESKTOP_PREFIX,
  IDENTITY_AUTHORIZE_PATH,
  IDENTITY_LOGIN_PATH,
  SESSION_PATH,
  SIGN_IN_PATH,
} from './paths'
export {
  desktopAnswerSchema,
  desktopAvailabilitySchema,
  desktopCeremonySchema,
  desktopCommandSchema,
  desktopExchangeSchema,
  desktopHubAppSchema,
  desktopReasons,
  desktopStatusSchema,
  type DesktopAnswer,
  type DesktopCommand,
  type DesktopStatus,
} from './schemas/desktop'
