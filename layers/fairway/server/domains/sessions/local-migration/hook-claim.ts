import type { App } from '#fairway/server/kernel/app-context'
import type { Run } from './statement'

const KEY = 'local-migration-hook'

/** True for the first caller in this database: the template's hook is called once. */
export async function claimHook(run: Run, userId: string): Promise<boolean> {
  const { rowsAffected } = await run(
    `insert into user_settings (user_id, key, value) select :userId, '${KEY}', '1'
     where not exists (select 1 from user_settings where key = '${KEY}')`,
    { userId },
  )
  return rowsAffected === 1
}

/** Lets the next move call the hook again, after it failed. */
export async function releaseHook(app: App): Promise<void> {
  await app.db.client.execute(`delete from user_settings where key = '${KEY}'`)
}
