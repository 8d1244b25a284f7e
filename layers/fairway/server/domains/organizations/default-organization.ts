import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import { corporateDomainOf } from './email-domain'

interface Person {
  userId: string
  email: string
  name: string
}

const IS_MEMBER = 'exists (select 1 from org_members where user_id = ?)'
const IS_INVITED = "exists (select 1 from org_invitations where email = ? and status = 'pending' and expires_at > ?)"
const HAS_DOMAIN = 'exists (select 1 from organizations where allowed_domain = ?)'

/**
 * Makes the first organization of a person who has none, is not invited and whose domain belongs to nobody; true when the
 * person is a member afterwards. Any number of requests at once, in any number of processes, make one.
 */
export async function createDefaultOrganization(app: App, person: Person): Promise<boolean> {
  if (!app.config.autoCreateDefaultOrg) return false
  const email = person.email.toLowerCase()
  const now = app.now().getTime()
  const domain = corporateDomainOf(email)
  const conditions = `not ${IS_MEMBER} and not ${IS_INVITED} and not ${HAS_DOMAIN}`
  const args = [person.userId, email, now, domain]
  const { rows } = await app.db.client.execute({
    sql: `select ${IS_MEMBER} as isMember, ${conditions} as isDue`,
    args: [person.userId, ...args],
  })
  if (rows[0]?.isDue !== 1) return rows[0]?.isMember === 1
  const id = newId()
  const [created] = await app.db.client.batch(
    [
      {
        sql: `insert into organizations (id, name, created_by, created_at) select ?, ?, ?, ? where ${conditions}`,
        args: [id, defaultOrganizationName(person), person.userId, now, ...args],
      },
      {
        sql: `insert into org_members (org_id, user_id, role, joined_at) select id, created_by, 'owner', ? from organizations where id = ?`,
        args: [now, id],
      },
    ],
    'write',
  )
  if (created?.rowsAffected === 1) app.log.info('default organization created', { orgId: id, userId: person.userId })
  return true
}

/** "Ada Lovelace's organization"; without a name the first part of the address is made readable. */
export function defaultOrganizationName({ name, email }: { name: string; email: string }): string {
  const local = email.split('@')[0] ?? ''
  const words = local.split(/[._-]+/).filter(Boolean)
  const readable = words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join(' ')
  return `${(name.trim() || readable || 'My').slice(0, 80)}'s organization`
}
