import { and, eq } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { userSettings } from '../tables'

/** Which organization a person works in; written by `setActiveOrgId` and what it is built of alone. */
export const ACTIVE_ORG_SETTING = 'active-org-id'

const reserved = new Set([ACTIVE_ORG_SETTING])

/** Keeps or, with null, forgets one setting of a person; throws `forbidden` for settings that have a writer of their own. */
export async function writeUserSetting(app: App, userId: string, key: string, value: string | null): Promise<void> {
  if (reserved.has(key)) throw new AppError('forbidden', { detail: `The setting ${key} cannot be written directly.` })
  if (value === null) {
    await app.db.orm.delete(userSettings).where(and(eq(userSettings.userId, userId), eq(userSettings.key, key)))
    return
  }
  await app.db.orm
    .insert(userSettings)
    .values({ userId, key, value })
    .onConflictDoUpdate({ target: [userSettings.userId, userSettings.key], set: { value } })
}
