import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import type { InStatement } from '#fairway/server/kernel/database/client'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import type { OrganizationEntry } from '#fairway/shared/schemas/organization'
import { rateLimit } from '../../kernel/limits/rate-limit'
import { limits } from '../../kernel/limits/limits'
import { listOrgCredentialKeys } from './vault/list-org-credential-keys'
import { activeOrgStatements, logMoves } from './active-org'
import { listMemberships, type Membership } from './find-membership'

export interface CreateOrganizationInput {
  name: string
  /** Must be true for an account that belongs to an organization already. */
  confirm?: boolean
}

type Creator = Pick<Session, 'userId' | 'email' | 'name' | 'orgId' | 'orgName'>

/**
 * Makes an organization that the person owns and works in from now on. For an account that has one already it throws
 * `confirm-additional-organization` unless confirmed, and logs a warning (SPEC: organizations rule 7). Throws `rate-limited`.
 */
export async function createOrganization(
  app: App,
  creator: Creator,
  { name, confirm = false }: CreateOrganizationInput,
): Promise<OrganizationEntry> {
  const existing = await listMemberships(app, creator.userId)
  if (existing.length > 0 && !confirm) throw await confirmationFor(app, creator, existing)
  await rateLimit(app, limits.organizationsPerAccount, creator.userId)
  const id = newId()
  const results = await app.db.client.batch(
    createStatements(app, { id, name, userId: creator.userId, confirm }),
    'write',
  )
  // Another request was faster, and what nobody asked about has become a second one.
  if (results[0]?.rowsAffected !== 1) {
    throw await confirmationFor(app, creator, await listMemberships(app, creator.userId))
  }
  if (existing.length > 0) {
    app.log.warn('an additional organization was created for an account that has one', {
      userId: creator.userId,
      organization: { id, name },
      existing: existing.map(({ orgId, orgName }) => ({ id: orgId, name: orgName })),
      noLongerReadable: await keysOf(app, creator),
    })
  }
  await logMoves(app, results, 'organization created')
  return { id, name, role: 'owner' }
}

interface NewOrganization {
  id: string
  name: string
  userId: string
  confirm: boolean
}

function createStatements(app: App, { id, name, userId, confirm }: NewOrganization): InStatement[] {
  const now = app.now().getTime()
  return [
    {
      sql: `insert into organizations (id, name, created_by, created_at) select ?, ?, ?, ?
        where ? or not exists (select 1 from org_members where user_id = ?)`,
      args: [id, name, userId, now, confirm ? 1 : 0, userId],
    },
    ...activeOrgStatements({
      who: { sql: 'u.id = ? and exists (select 1 from organizations where id = ?)', args: [userId, id] },
      to: { sql: '?', args: [id] },
    }),
    {
      sql: `insert into org_members (org_id, user_id, role, joined_at) select id, created_by, 'owner', ? from organizations where id = ?`,
      args: [now, id],
    },
  ]
}

async function confirmationFor(app: App, creator: Creator, [first]: Membership[]): Promise<AppError> {
  return new AppError('confirm-additional-organization', {
    detail: 'People are better added to the organization you have: credentials are not shared between organizations.',
    extra: {
      organization: { id: first?.orgId, name: first?.orgName },
      orphanedCredentials: (await keysOf(app, creator)).map(key => ({ key })),
    },
  })
}

const keysOf = async (app: App, { orgId }: Creator): Promise<string[]> =>
  orgId ? listOrgCredentialKeys(app, orgId) : []
