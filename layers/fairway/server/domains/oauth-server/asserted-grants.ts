// The grants of agents that a customer manages: one for each client, person and organization.
import { type AgentConnection, domainOf, vouchesFor } from '#fairway/server/domains/organizations'
import { findPerson, suspendedUntilSql } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import type { InStatement } from '#fairway/server/kernel/database/client'
import { newId } from '#fairway/server/kernel/crypto/random'
import { connectionProvider } from '#fairway/shared/connection-provider'
import { MCP_SCOPES, type McpScope } from '#fairway/shared/scopes'
import { mcpUrl } from './access-token'
import type { OAuthClient } from './clients/client-metadata'
import { isManagedIn } from './clients/managed-clients'
import { type GrantRow, grantJoins, mayConnect, toGrantRow } from './grants'
import { hasRootSecret, rootMark } from './root-mark'

interface AssertedGrant {
  agent: OAuthClient
  issuer: string
  connection: AgentConnection
  userId: string
  scopes: readonly McpScope[]
  /** In seconds: when the assertion was issued, and when the person signed in at the provider, if it says so. */
  iat: number
  auth_time?: number
}

// Its earlier tokens may still have scopes that the new assertion lacks, so the list names them until they have expired.
const CONTINUE = `on conflict (client_id, user_id, org_id) where assertion_issuer is not null and revoked_at is null do update set
  scope = case when expires_at <= excluded.created_at then excluded.scope else (select group_concat(value, ' ')
    from json_each('${JSON.stringify(MCP_SCOPES)}')
    where instr(' ' || oauth_grants.scope || ' ' || excluded.scope || ' ', ' ' || value || ' ') > 0) end,
  longest_pause = case when signed_in_at < excluded.signed_in_at then 0
    else max(longest_pause, excluded.last_used_at - last_used_at) end,
  client_name = excluded.client_name, email = excluded.email, provider = excluded.provider,
  provider_domain = excluded.provider_domain, must_sign = 1, assertion_issuer = excluded.assertion_issuer,
  signed_in_at = excluded.signed_in_at, last_used_at = excluded.last_used_at, expires_at = excluded.expires_at
  returning id as grantId, client_id as clientId, user_id as userId, email, org_id as orgId, scope, expires_at as expiresAt`

const SAME = 'client_id = ? and user_id = ? and org_id = ? and assertion_issuer is not null'

/**
 * Connects an agent, or continues its grant: the statement checks everything that could have changed since. Undefined when the
 * person or the client is not admitted now, or when the access was ended after the assertion was issued.
 */
export async function grantByAssertion(app: App, asserted: AssertedGrant): Promise<GrantRow | undefined> {
  const { agent, issuer, connection, userId } = asserted
  const { orgId } = connection
  const endStale = {
    sql: `update oauth_grants set revoked_at = created_at, revoked_reason = 'replaced'
      where ${SAME} and revoked_at is null and not ${hasRootSecret(app.config, 'oauth_grants')}`,
    args: [agent.id, userId, orgId],
  }
  const person = await findPerson(app, { userId })
  const domain = person ? domainOf(person.email) : null
  const [, granted] = await app.db.client.batch([endStale, grantStatement(app, { ...asserted, domain })], 'write')
  const grant = toGrantRow(granted?.rows[0])
  if (!grant) return undefined
  const { grantId } = grant
  app.log.info('an assertion connected an agent', { client: agent.id, userId, orgId, grantId, issuer })
  return grant
}

// Only a person ticks the box “Delete” of the consent page, so agents do not delete.
function grantStatement(
  app: App,
  {
    agent,
    issuer,
    connection,
    userId,
    scopes,
    iat,
    auth_time: signedInAt = iat,
    domain,
  }: AssertedGrant & { domain: string | null },
): InStatement {
  const { id: clientId, name, orgId: ownOrg } = agent
  const { id: connectionId, orgId } = connection
  const id = newId()
  const now = app.now().getTime()
  const expiresAt = now + app.config.oauth.accessTokenLifeInSeconds * 1000
  const columns = [id, clientId, name ?? clientId, scopes.join(' '), mcpUrl(app.config), now, now]
  const times = [Math.min(signedInAt, iat) * 1000, expiresAt, rootMark(app, id)]
  const proof = [orgId, userId, connectionProvider(connectionId), domain, issuer]
  const isStillManaged = ownOrg === undefined ? '1' : isManagedIn('?', 'o.id')
  return {
    sql: `insert into oauth_grants (id, client_id, client_name, user_id, email, org_id, provider, provider_domain, assertion_issuer,
        scope, may_delete, must_sign, resource, created_at, last_used_at, signed_in_at, expires_at, root_mark)
      select ?, ?, ?, u.id, u.email, o.id, g.provider, g.provider_domain, g.assertion_issuer, ?, 0, 1, ?, ?, ?, ?, ?, ?
      from (select ? as org_id, ? as user_id, ? as provider, ? as provider_domain, ? as assertion_issuer) g ${grantJoins}
      where ${mayConnect(app.config)} and ${suspendedUntilSql('u')} <= ? and ${vouchesFor('g')} and ${isStillManaged}
        and not exists (select 1 from oauth_grants where ${SAME} and revoked_at >= ?)
      ${CONTINUE}`,
    args: [
      ...columns,
      ...times,
      ...proof,
      now,
      ...(ownOrg === undefined ? [] : [clientId]),
      clientId,
      userId,
      orgId,
      iat * 1000,
    ],
  }
}
