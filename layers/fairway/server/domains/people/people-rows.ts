import { type DependentRows, isoTime } from '#fairway/server/kernel/dependent-rows'
import { withdrawChangeStatements } from './address-change'
import { PLATFORM_SETTINGS } from './person-values'

const platformSettings = [...PLATFORM_SETTINGS].map(key => `'${key}'`).join(', ')

/** A person's account: what they and applications have set moves with local data, all of it is theirs to take along and goes with them. */
export const peopleRows: DependentRows = {
  movesWithPerson: { application_state: '1', user_settings: `key not in (${platformSettings})` },
  leftByStranger: (_clock, { userId }) => withdrawChangeStatements(userId),
  forgetOrganization: ({ sql, args }) => [{ sql: `delete from application_state where ${sql}`, args }],
  ofPerson({ userId }) {
    const of = (sql: string) => ({ sql, args: [userId] })
    return {
      profile: of(`select id, name, email, email_verified as emailVerified, image, ${isoTime('created_at')} as createdAt
        from users where id = ?`),
      picture: of(`select type, bytes, ${isoTime('created_at')} as createdAt from fw_user_pictures where user_id = ?`),
      signIns:
        of(`select provider_id as provider, case provider_id when 'credential' then null else account_id end as account,
        ${isoTime('created_at')} as createdAt from accounts where user_id = ? order by created_at`),
      sessions:
        of(`select provider, ip_address as address, user_agent as userAgent, ${isoTime('created_at')} as createdAt,
        ${isoTime('last_used_at')} as lastUsedAt, ${isoTime('expires_at')} as expiresAt from sessions where user_id = ? order by created_at`),
      devices: of(`select device, ${isoTime('first_seen_at')} as firstSeenAt, ${isoTime('last_seen_at')} as lastSeenAt
        from known_devices where user_id = ? order by first_seen_at`),
      settings: of('select key, value from user_settings where user_id = ? order by key'),
      applicationState: of(`select org_id as organization, key, value, ${isoTime('updated_at')} as updatedAt
        from application_state where user_id = ? order by org_id, key`),
    }
  },
  forgetPerson: ({ userId }) =>
    [
      'fw_user_pictures',
      'fw_address_changes',
      'application_state',
      'user_settings',
      'known_devices',
      'accounts',
      'sessions',
    ].map(table => ({ sql: `delete from ${table} where user_id = ?`, args: [userId] })),
}
