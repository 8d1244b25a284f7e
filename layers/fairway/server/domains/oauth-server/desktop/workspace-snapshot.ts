import type * as z from 'zod/mini'
import type { App } from '#fairway/server/kernel/app-context'
import type { HubApp } from '#fairway/server/kernel/config/identity-registry'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { desktopExchangeSchema } from '#fairway/shared/schemas/desktop'
import type { Session } from '#fairway/shared/schemas/session'
import { whyNotVouched } from './desktop-person'

type WorkspaceSnapshot = z.output<typeof desktopExchangeSchema>

/** Whoever is signed in at the hub, and every application that it knows. Nothing in it is a credential. */
export const workspaceSnapshot = ({ config }: App, { email }: Session): WorkspaceSnapshot => ({
  email,
  apps: (config.identity.hub?.apps ?? []).map(toSnapshotApp),
})

/** The same for a desktop application that has signed in before; throws `email-not-verified` and `not-a-real-account`. */
export function currentSnapshot(app: App, session: Session): WorkspaceSnapshot {
  const code = whyNotVouched(app, session)
  if (code) throw new AppError(code)
  return workspaceSnapshot(app, session)
}

const toSnapshotApp = ({ appId, clientId, origin, callbackPath, isCanonical }: HubApp) => ({
  appId,
  clientId,
  origin,
  callbackUrl: origin + callbackPath,
  isCanonical,
})
