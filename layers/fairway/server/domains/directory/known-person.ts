import type { App } from '#fairway/server/kernel/app-context'

/**
 * The account of the active person whom the directory of an organization knows by its own ID (`externalId`). Undefined for an
 * unknown ID, and for one of several people.
 */
export async function findDirectoryUser(app: App, orgId: string, externalId: string): Promise<string | undefined> {
  const rows = await app.db.prepareRead<{ userId: string }>(
    `select distinct user_id as userId from fw_directory_people
     where org_id = ? and external_id = ? and active = 1 and user_id is not null limit 2`,
  )([orgId, externalId])
  return rows.length === 1 ? rows[0]?.userId : undefined
}
