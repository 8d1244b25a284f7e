import { countAttempt, limits } from '#server/domains/rate-limits'
import { listOrgCredentialKeys } from '#server/domains/vault'
import type { App } from '#server/foundation/app-context'
import { newId } from '#server/foundation/crypto/random'
import { AppError } from '#server/foundation/http/app-error'
import type { Session } from '#shared/schemas/session'
import { setActiveOrgId } from './active-org'
import { listMemberships } from './find-membership'
import type { OrganizationEntry } from '#shared/schemas/organization'

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
  const keys = existing.length > 0 && creator.orgId ? await listOrgCredentialKeys(app, creator.orgId) : []
  if (existing.length > 0 && !confirm) {
    throw new AppError('confirm-additional-organization', {
      detail: 'People are better added to the organization you have: credentials are not shared between organizations.',
      extra: {
        organization: { id: existing[0]?.orgId, name: existing[0]?.orgName },
        orphanedCredentials: keys.map(key => ({ key })),
      },
    })
  }
  await countAttempt(app, limits.organizationsPerAccount, creator.userId)
  const id = newId()
  const now = app.now().getTime()
  await app.db.client.batch(
    [
      {
        sql: 'insert into organizations (id, name, created_by, created_at) values (?, ?, ?, ?)',
        args: [id, name, creator.userId, now],
      },
      {
        sql: `insert into org_members (org_id, user_id, role, joined_at) values (?, ?, 'owner', ?)`,
        args: [id, creator.userId, now],
      },
    ],
    'write',
  )
  if (existing.length > 0) {
    app.log.warn('an additional organization was created for an account that has one', {
      userId: creator.userId,
      organization: { id, name },
      existing: existing.map(({ orgId, orgName }) => ({ id: orgId, name: orgName })),
      noLongerReadable: keys,
    })
  }
  await setActiveOrgId(app, creator, id, 'organization created')
  return { id, name, role: 'owner' }
}
