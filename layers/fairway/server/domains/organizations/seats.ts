// The seats of a plan: members, and invitations that may still be accepted.
import { quoteName } from '#fairway/server/kernel/database/sql-text'

/** The table that a plan's limit of seats counts. */
export const SEATS_TABLE = 'org_members'

interface SeatsOf {
  /** The SQL that fires when a seat is taken. */
  when: string
  /** The number of seats taken in an organization; `org` is an SQL expression. */
  count(org: string): string
}

const members = (org: string): string => `(select count(*) from org_members m where m.org_id = ${org})`
const invited = (org: string): string =>
  `(select count(*) from org_invitations i where i.org_id = ${org} and i.status = 'pending' and i.expires_at > unixepoch() * 1000)`

/** The seats of an organization: its members and its open invitations. */
export const countSeats = (org: string): string => `${members(org)} + ${invited(org)}`

/** The events that take seats: a person joins, or is invited. Members of a restored organization take no new seats. */
export const seatsTaken: Readonly<Record<'joined' | 'invited', SeatsOf>> = {
  joined: {
    when: `after insert on ${quoteName(SEATS_TABLE)}
      when not exists (select 1 from fw_suspended_members s where s.org_id = new.org_id and s.user_id = new.user_id)`,
    count: members,
  },
  invited: { when: `after insert on ${quoteName('org_invitations')}`, count: countSeats },
}
