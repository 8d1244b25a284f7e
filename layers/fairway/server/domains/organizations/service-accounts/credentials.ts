// What a credential of a service account is joined with, for the statements of the domains that open it.
import type { App } from '#fairway/server/kernel/app-context'
import { inBackgroundOnce } from '#fairway/server/kernel/background'
import type { SERVICE_ROLES } from '#fairway/shared/schemas/service-account'

/** An account with the credential that was presented; times in milliseconds. */
export interface ServiceCredentialRow {
  accountId: string
  accountName: string
  accountRole: (typeof SERVICE_ROLES)[number]
  accountOrgId: string
  /** Space-separated. */
  scope: string
  readOnly: number
  destructive: number
  /** JSON; null without any. */
  jwks: string | null
  lastUsedAt: number | null
  usedFrom: string | null
  createdAt: number
  /** The ID of the key, or the time of the account's public keys; null where neither was presented. */
  credential: string | null
  keyId: string | null
  /** Null for a credential that does not end. */
  expiresAt: number | null
  /** 1 when the owner of record made the credential. */
  isOwners: number
  /** 1 when the organization limits apps and tokens to reading. */
  agentsReadOnly: number
}

const account = `a.id as accountId, a.name as accountName, a.role as accountRole, a.org_id as accountOrgId, a.scopes as scope,
  a.read_only as readOnly, a.destructive, a.jwks, a.last_used_at as lastUsedAt, a.used_from as usedFrom, a.created_at as createdAt,
  o.agents_read_only as agentsReadOnly`

/**
 * The columns, the table and the condition of an account (`a`) that presents a key, its public keys, or nothing (a job that it
 * queued). The statement joins the owner of record (`a.owner_id`) in the organization (`a.org_id`).
 */
export const serviceCredential = {
  /** Values: the hash of the key. */
  byKey: {
    columns: `${account}, k.id as credential, k.id as keyId, k.expires_at as expiresAt, k.created_by = a.owner_id as isOwners`,
    from: 'fw_service_account_keys k join fw_service_accounts a on a.id = k.account_id and a.deleted_at is null',
    where: 'k.hash = ?',
  },
  /** Values: the ID of the account, and the credential that a token is bound to. */
  byToken: {
    columns: `${account}, coalesce(k.id, a.jwks_at) as credential, k.id as keyId, k.expires_at as expiresAt,
      coalesce(k.created_by, a.jwks_by) = a.owner_id as isOwners`,
    from: 'fw_service_accounts a left join fw_service_account_keys k on k.account_id = a.id and k.id = ?2',
    where: `a.id = ?1 and a.deleted_at is null and (k.id is not null or (a.jwks is not null and cast(a.jwks_at as text) = ?2))`,
  },
  /** Values: the ID of the account. */
  byId: {
    columns: `${account}, cast(a.jwks_at as text) as credential, null as keyId, null as expiresAt, coalesce(a.jwks_by = a.owner_id, 0) as isOwners`,
    from: 'fw_service_accounts a',
    where: 'a.id = ? and a.deleted_at is null',
  },
} as const

const TOUCH_EVERY_IN_MS = 5 * 60 * 1000

/** Notes when an account was used, at most once in five minutes, and the network if it is a new one. */
export function noteServiceUse(app: App, row: ServiceCredentialRow, place: string | undefined): void {
  const now = app.now().getTime()
  if (place === undefined && now - (row.lastUsedAt ?? 0) < TOUCH_EVERY_IN_MS) return
  const { accountId: id, keyId } = row
  inBackgroundOnce(app, 'touch-service-account', id, async () => {
    await app.db.client.batch(
      [
        {
          sql: 'update fw_service_accounts set last_used_at = ?, used_from = coalesce(?, used_from) where id = ?',
          args: [now, place ?? null, id],
        },
        { sql: 'update fw_service_account_keys set last_used_at = ? where id = ?', args: [now, keyId] },
      ],
      'write',
    )
  })
}
