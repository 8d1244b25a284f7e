import { AppError } from '#fairway/server/kernel/http/app-error'
import { CONNECTIONS_PAGE } from '#fairway/shared/paths'

/** The refusal of something that needs a connection: it says which, and where to connect. */
export const connectionMissing = (code: 'connection-required' | 'reconnect-required', provider: string): AppError =>
  new AppError(code, { extra: { provider, connectUrl: `${CONNECTIONS_PAGE}?connect=${encodeURIComponent(provider)}` } })
