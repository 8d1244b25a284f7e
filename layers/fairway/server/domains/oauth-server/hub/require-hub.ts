import type { App } from '#fairway/server/kernel/app-context'
import type { HubConfig } from '#fairway/server/kernel/config/identity-config'
import { AppError } from '#fairway/server/kernel/http/app-error'

/** Whether other applications can sign people in through this one. */
export const isIdentityHub = ({ config }: App): boolean => config.identity.hub !== undefined

/** The applications that this hub knows; throws `not-found` where there is no hub. */
export function requireHub({ config }: App): HubConfig {
  if (!config.identity.hub) throw new AppError('not-found')
  return config.identity.hub
}
