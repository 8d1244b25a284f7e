import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'

const NAME = 'desktop.workspace-sso'
const MINUTE_IN_MS = 60_000

/** Whether this hub offers desktop sign-in. It is off until somebody switches it on, and whenever that cannot be read; it protects nothing. */
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

/** Switches desktop sign-in of this hub on or off; throws `no-identity-hub` where there is nothing to switch on. */
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

/** Every request asks, so a table that is gone would fill the log. */
function warnOnceAMinute(app: App, error: unknown): void {
  const last = app.memo('workspace-sso-warned', () => ({ at: 0 }))
  const now = app.now().getTime()
  if (now - last.at < MINUTE_IN_MS) return
  last.at = now
  app.log.warn('whether desktop sign-in is on cannot be read; it is off', { error })
}
