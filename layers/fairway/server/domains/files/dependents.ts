import { orgsOf } from '#fairway/server/domains/organizations'
import { type DependentRows, isExported, isoTime } from '#fairway/server/kernel/dependent-rows'

/** Files are deleted with their rows. These statements handle the rest: uploads without a row, and the id of the uploader. */
export const filesRows: DependentRows = {
  forgetOrganization: ({ sql, args }) => [{ sql: `update fw_files set state = 'unwanted' where ${sql}`, args }],
  ofPerson(person) {
    const { userId } = person
    const isIn = isExported('org_id', person)
    const files = {
      // The export adds the bytes of `content`: files without an organization, such as a picture, and files of an organization
      // that the person is still in.
      sql: `select id, name, type, size, upload, state, ${isoTime('created_at')} as uploadedAt,
        case when org_id in (${orgsOf('= ?')}) then org_id end as organization,
        case when org_id in (select '' union all ${orgsOf('= ?')}) then id end as content
        from fw_files where user_id = ? and state not in ('writing', 'deleting') and ${isIn.sql} order by id`,
      args: [userId, userId, userId, ...isIn.args],
    }
    return { files }
  },
  forgetPerson: ({ userId }) => [
    {
      sql: `update fw_files set state = 'unwanted' where user_id = ? and state in ('writing', 'pending')`,
      args: [userId],
    },
    { sql: 'update fw_files set user_id = null where user_id = ?', args: [userId] },
  ],
}
