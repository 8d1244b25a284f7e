import { LOCAL_DATA_MARK } from '#fairway/shared/local-data-mark'
import type { Session } from '#fairway/shared/schemas/session'

/** Whether to ask the server for local data: this page came from a server that moves it, and somebody real is signed in. */
export const isLocalMigrationOffered = (page: ParentNode, session: Pick<Session, 'provider'> | undefined): boolean =>
  session !== undefined &&
  session.provider !== 'dev' &&
  session.provider !== 'auth-disabled' &&
  page.querySelector(`meta[name="${LOCAL_DATA_MARK}"]`) !== null
