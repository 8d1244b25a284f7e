import { beforeAll, describe, expect, it } from 'vitest'
import {
  managesRole,
  mayInOrg,
  ORG_PERMISSIONS,
  ORG_ROLES,
  type OrgPermission,
  type OrgRole,
} from '#fairway/shared/roles'
import { statusAndCode } from '../../../support/error-code'
import { sessionOf } from '../../../support/http'
import { query } from '../../../support/query'
import { useServer } from '../../../support/use-server'
import { createTeamWorld, type TeamPerson } from '../../../support/team'

const server = useServer()
const world = createTeamWorld(server)

interface Scene {
  actor: TeamPerson
  victim: TeamPerson
  invitationId: string
  grantId: string
  connectionId: string
  orgName: string
}

const send = (actor: TeamPerson, method: string, path: string, json?: unknown) =>
  actor.browser.request(path, { method, json })

/** One request for each permission; it succeeds if the role has the permission. */
const requests: Record<OrgPermission, (scene: Scene) => [method: string, path: string, json?: unknown]> = {
  'read-organization': () => ['GET', '/_fw/org/auth-provider'],
  'list-members': () => ['GET', '/_fw/org/members'],
  'read-app-roles': () => ['GET', '/_fw/org/app-roles'],
  'read-member-activity': () => ['GET', '/_fw/org/members?sort=-lastActiveAt'],
  'export-members': () => ['GET', '/_fw/org/members/export'],
  'list-invitations': () => ['GET', '/_fw/org/invitations'],
  'invite-member': () => ['POST', '/_fw/org/invitations', { email: 'someone.new@example.test' }],
  'revoke-invitation': ({ invitationId }) => ['DELETE', `/_fw/org/invitations/${invitationId}`],
  'change-member-role': ({ victim }) => ['PATCH', `/_fw/org/members/${victim.email}`, { role: 'admin' }],
  'remove-member': ({ victim }) => ['DELETE', `/_fw/org/members/${victim.email}`],
  'limit-agents': () => ['PATCH', '/_fw/org', { agentsReadOnly: false }],
  'rename-organization': () => ['PATCH', '/_fw/org', { name: 'Renamed' }],
  'set-auth-provider': () => ['PUT', '/_fw/org/auth-provider', { provider: null }],
  'decide-sign-in': ({ connectionId }) => ['POST', `/_fw/org/connections/${connectionId}/deactivate?dryRun=true`],
  'list-grants': () => ['GET', '/_fw/org/grants'],
  'revoke-grant': ({ grantId }) => ['DELETE', `/_fw/org/grants/${grantId}`],
  'assign-app-role': ({ victim }) => ['PUT', '/_fw/org/app-roles', { email: victim.email, role: 'curator' }],
  'manage-roles': () => ['POST', '/_fw/org/roles', { name: 'Archivists', permissions: ['notes:purge'] }],
  'manage-service-accounts': () => ['GET', '/_fw/org/service-accounts'],
  'manage-teams': () => ['POST', '/_fw/org/teams', { name: 'Sales' }],
  'set-address': ({ victim }) => ['PATCH', '/_fw/org', { slug: `org-of-${victim.userId.slice(-12)}` }],
  'set-domain': () => ['PATCH', '/_fw/org', { allowedDomain: null }],
  'transfer-ownership': ({ victim }) => ['POST', '/_fw/org/transfer', { email: victim.email }],
  'manage-credentials': () => ['GET', '/_fw/org/vault'],
  'read-audit-log': () => ['GET', '/_fw/org/audit'],
  'manage-webhooks': () => ['GET', '/_fw/webhooks'],
  'delete-organization': ({ orgName }) => ['DELETE', '/_fw/org', { name: orgName }],
}

async function scene(role: OrgRole | 'outsider'): Promise<Scene & { orgId: string }> {
  const { owner, admin, member, outsider, orgId } = await world.team()
  const victim = await world.join(owner, 'member')
  await owner.browser.post('/_fw/org/invitations', { json: { email: 'waiting@example.test' } })
  const { orgName } = await sessionOf(owner.browser)
  const grantId = `grant-of-${victim.userId}`
  await query(
    server,
    `insert into oauth_grants (id, client_id, client_name, user_id, email, org_id, scope, resource, created_at, last_used_at, expires_at)
      values (?, 'host', 'Host', ?, ?, ?, 'mcp:read', ?, 0, 0, 9e12)`,
    [grantId, victim.userId, victim.email, orgId, `${server.origin}/mcp`],
  )
  const connectionId = `connection-of-${victim.userId}`
  await query(
    server,
    `insert into fw_org_connections (id, org_id, name, client_auth, provision, default_role, state, created_by, created_at)
      values (?, ?, 'Corp', 'secret', 1, 'member', 'active', ?, 0)`,
    [connectionId, orgId, owner.userId],
  )
  return {
    actor: { owner, admin, member, outsider }[role],
    victim,
    invitationId: world.linkFor('waiting@example.test').id,
    grantId,
    connectionId,
    orgName,
    orgId,
  }
}

const rowsOf = async (orgId: string) =>
  JSON.stringify([
    await query(server, 'select * from organizations where id = ?', [orgId]),
    await query(server, 'select * from org_members where org_id = ? order by user_id', [orgId]),
    await query(server, 'select * from org_invitations where org_id = ? order by id', [orgId]),
    await query(server, 'select * from app_member_roles where org_id = ? order by user_id', [orgId]),
    await query(server, 'select * from fw_teams where org_id = ? order by id', [orgId]),
    await query(server, 'select * from fw_org_roles where org_id = ?', [orgId]),
    await query(server, 'select * from oauth_grants where org_id = ? order by id', [orgId]),
  ])

describe.each([...ORG_ROLES, 'outsider'] as const)('organization permissions as %s', role => {
  // For reads and refused requests, which change nothing.
  let shared: Awaited<ReturnType<typeof scene>>
  beforeAll(async () => {
    shared = await scene(role)
  })

  it.each(Object.keys(ORG_PERMISSIONS) as OrgPermission[])('%s', async permission => {
    const isAllowed = role !== 'outsider' && mayInOrg(role, permission)
    const changes = isAllowed && requests[permission](shared)[0] !== 'GET'
    // The outsider's own audit log has the addresses of their earlier attempts.
    const isOwnLog = role === 'outsider' && permission === 'read-audit-log'
    const set = changes || isOwnLog ? await scene(role) : shared
    const before = await rowsOf(set.orgId)
    const answer = await send(set.actor, ...requests[permission](set))
    if (isAllowed) return expect(answer.ok, await answer.text()).toBe(true)
    // An outsider owns another organization. They must not change or see anything in this one.
    if (role === 'outsider')
      expect(await answer.text()).not.toMatch(new RegExp(`${set.victim.email}|waiting@example|${set.orgId}`))
    else expect(answer.status).toBe(403)
    expect(await rowsOf(set.orgId)).toBe(before)
  })
})

describe.each(ORG_ROLES)('role changes by %s', actorRole => {
  let actor: TeamPerson
  let victim: TeamPerson
  beforeAll(async () => {
    const team = await world.team()
    actor = team[actorRole]
    victim = await world.join(team.owner, 'member')
  })

  it.each(ORG_ROLES.flatMap(target => ORG_ROLES.map(wanted => [target, wanted] as const)))(
    'change a member from %s to %s only if the actor manages both roles',
    async (target, wanted) => {
      await query(server, 'update org_members set role = ? where user_id = ?', [target, victim.userId])
      const answer = await send(actor, 'PATCH', `/_fw/org/members/${victim.email}`, { role: wanted })
      const isAllowed = managesRole(actorRole, target) && managesRole(actorRole, wanted)
      expect(answer.status).toBe(isAllowed ? 200 : 403)
      const [row] = await query(server, 'select role from org_members where user_id = ?', [victim.userId])
      expect(row?.role).toBe(isAllowed ? wanted : target)
    },
  )

  it('cannot change or remove the actor’s own membership', async () => {
    const answers = [
      await send(actor, 'PATCH', `/_fw/org/members/${actor.email.toUpperCase()}`, { role: 'member' }),
      await send(actor, 'DELETE', `/_fw/org/members/${actor.email}`),
    ]
    expect(answers.map(answer => answer.status)).toEqual(actorRole === 'member' ? [403, 403] : [400, 400])
    expect((await sessionOf(actor.browser)).orgRole).toBe(actorRole)
  })
})

/** Makes a person's sign-in 16 minutes old. */
const age = ({ userId }: TeamPerson) =>
  query(server, 'update sessions set created_at = created_at - 960000 where user_id = ?', [userId])

describe('owner whose sign-in is older than 15 minutes', () => {
  it('can still dry-run a sign-in rule without changing anything', async () => {
    const { owner, member } = await world.team()
    await age(owner)
    const path = '/_fw/org/auth-provider?dryRun=true'
    expect((await send(owner, 'PUT', path, { provider: null })).status).toBe(200)
    expect((await send(member, 'PUT', path, { provider: null })).status).toBe(403)
  })

  it('cannot make anyone an owner by a role change, an invitation, an action or an API token', async () => {
    const { owner, member, orgId } = await world.team()
    const tokens = await send(owner, 'POST', '/_fw/tokens', {
      name: 'Script',
      scopes: ['mcp:read', 'mcp:write'],
      expiresInDays: 7,
    })
    const { token } = await tokens.json()
    await age(owner)
    const roles = async () => [
      await query(server, 'select user_id, role from org_members where org_id = ? order by user_id', [orgId]),
      await query(server, `select email, role from org_invitations where org_id = ? and status = 'pending'`, [orgId]),
    ]
    const before = await roles()
    const toOwner = { email: member.email, role: 'owner' }
    const newcomer = { email: 'next.owner@example.test', role: 'owner' }
    const byToken = (name: string, input: unknown) =>
      fetch(`${server.origin}/_fw/actions/${name}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(input),
      })
    const answers = [
      await send(owner, 'PATCH', `/_fw/org/members/${member.email}`, { role: 'owner' }),
      await send(owner, 'POST', '/_fw/org/invitations', newcomer),
      await send(owner, 'POST', '/_fw/actions/change-member-role', toOwner),
      await send(owner, 'POST', '/_fw/actions/invite-member', newcomer),
      await byToken('change-member-role', toOwner),
      await byToken('invite-member', newcomer),
    ]
    for (const answer of answers) expect(await statusAndCode(answer)).toEqual([403, 'fresh-session-required'])
    expect(await roles()).toEqual(before)
    // Other roles require no recent sign-in.
    expect((await byToken('change-member-role', { ...toOwner, role: 'admin' })).status).toBe(200)
  })
})
