// Service accounts as clients of the token endpoint. They are confidential: a key is their secret, or they sign an assertion.
import { isWellFormedKey } from '#fairway/server/domains/organizations'
import { type ServiceActorRow, serviceActorSql } from '#fairway/server/domains/sessions'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import type { OAuthClient } from './client-metadata'
import { clientSigningSchema } from './client-signing'

/** The row of a credential of a service account, with its owner of record; undefined for an unknown one. */
export function findServiceActor(
  app: App,
  by: 'byKey' | 'byToken' | 'byId',
  args: string[],
): Promise<ServiceActorRow | undefined> {
  const find = app.memo(`find-service-actor-${by}`, () => app.db.prepareRead<ServiceActorRow>(serviceActorSql(by)))
  return find(args).then(([row]) => row)
}

/** The service account with this ID, if the key is a live one of it; null otherwise. */
export async function authenticateServiceAccount(app: App, id: string, key: string): Promise<OAuthClient | null> {
  const row = isWellFormedKey(key) ? await findServiceActor(app, 'byKey', [sha256(key)]) : undefined
  const isLive = row?.accountId === id && row.expiresAt !== null && row.expiresAt > app.now().getTime()
  return isLive ? toClient(row) : null
}

/** The service account with this ID, with its public keys if it has any; null for other IDs. */
export async function findServiceClient(app: App, id: string): Promise<OAuthClient | null> {
  const row = await findServiceActor(app, 'byId', [id])
  return row ? toClient(row) : null
}

function toClient({
  accountId: id,
  accountName: name,
  accountOrgId: orgId,
  jwks,
  credential,
}: ServiceActorRow): OAuthClient {
  const signing = jwks === null ? undefined : clientSigningSchema.parse({ isRequired: true, jwks: JSON.parse(jwks) })
  const common = { id, name, orgId, host: null, applicationType: 'web', renews: false } as const
  return {
    ...common,
    source: 'service',
    redirectUris: [],
    ...(signing && { signing }),
    ...(credential !== null && { credential }),
  }
}
