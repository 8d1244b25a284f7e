import type { App } from '#fairway/server/kernel/app-context'

/** Remembers what a person signed in with; true when it is new for an account that has others. Of several callers at once one gets true. */
export async function noteDevice(app: App, userId: string, device: string): Promise<boolean> {
  const now = app.now().getTime()
  const [others, added] = await app.db.client.batch(
    [
      { sql: 'select 1 from known_devices where user_id = ? limit 1', args: [userId] },
      {
        sql: `insert into known_devices (user_id, device, first_seen_at, last_seen_at) values (?, ?, ?, ?)
          on conflict do nothing returning device`,
        args: [userId, device, now, now],
      },
      {
        sql: 'update known_devices set last_seen_at = ? where user_id = ? and device = ?',
        args: [now, userId, device],
      },
    ],
    'write',
  )
  return added?.rows.length === 1 && others?.rows.length === 1
}
