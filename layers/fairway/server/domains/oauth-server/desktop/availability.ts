import type * as z from 'zod/mini'
import { findHubClient } from '#fairway/server/domains/oauth-client'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { desktopAvailabilitySchema } from '#fairway/shared/schemas/desktop'

/** Whether this is a hub that offers desktop sign-in now. If not, its pages and endpoints are hidden. */
export const isDesktopHub = async (app: App): Promise<boolean> =>
  app.config.identity.hub !== undefined && (await isWorkspaceSsoOn(app))

/** Whether this application offers anything to a desktop application with this `User-Agent`. */
export const hasDesktopPart = (app: App, userAgent: string): boolean =>
  app.config.identity.hub !== undefined || findHubClient(app, userAgent) !== undefined

/** Returns this application's role for a desktop application: a hub that offers sign-in, or a client of a hub. */
export async function desktopAvailability(
  app: App,
  userAgent: string,
): Promise<z.output<typeof desktopAvailabilitySchema>> {
  const client = findHubClient(app, userAgent)
  return {
    available: await isDesktopHub(app),
    client: client
      ? { hubUrl: client.url, appId: client.appId, clientId: client.clientId, callbackUrl: client.callbackUrl }
      : null,
  }
}

const NAME = 'desktop.workspace-sso'
const MINUTE_IN_MS = 60_000

/**
 * Whether this hub offers desktop sign-in. It is off until an operator switches it on, and whenever the table cannot be read. It
 * is not a security control.
 */
export async function isWorkspaceSsoOn(app: App): Promise<boolean> {
  try {
    const read = app.memo('workspace-sso-flag', () =>
      app.db.prepareRead<{ isOn: unknown }>('select is_on as isOn from feature_flags where name = ?'),
    )
    const [row] = await read([NAME])
    return row?.isOn === 1
  } catch (error) {
    warnOnceAMinute(app, error)
    return false
  }
}

/** Switches desktop sign-in of this hub on or off. Throws `no-identity-hub` when this is not a hub. */
export async function setWorkspaceSso(app: App, isOn: boolean, updatedBy: string): Promise<void> {
  if (isOn && !app.config.identity.hub) {
    throw new AppError('no-identity-hub', {
      detail: 'A hub has `A2A_SECRET`, and applications in `IDENTITY_SSO_APP_REGISTRY_JSON` or in its declaration.',
    })
  }
  await app.db.client.execute({
    sql: `insert into feature_flags (name, is_on, updated_at, updated_by) values (?, ?, ?, ?)
      on conflict (name) do update set is_on = excluded.is_on, updated_at = excluded.updated_at, updated_by = excluded.updated_by`,
    args: [NAME, isOn ? 1 : 0, app.now().getTime(), updatedBy],
  })
  app.log.info('desktop sign-in switched', { isOn, updatedBy })
}

/** Every request reads the flag, so a missing table would fill the log. */
function warnOnceAMinute(app: App, error: unknown): void {
  const last = app.memo('workspace-sso-warned', () => ({ at: 0 }))
  const now = app.now().getTime()
  if (now - last.at < MINUTE_IN_MS) return
  last.at = now
  app.log.warn('whether desktop sign-in is on cannot be read; it is off', { error })
}
