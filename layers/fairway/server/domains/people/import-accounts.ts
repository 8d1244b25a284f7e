// Accounts that an operator brings from another system.
import type { App } from '#fairway/server/kernel/app-context'
import { markImported } from '#fairway/server/kernel/crypto/foreign-hash'
import { newId } from '#fairway/server/kernel/crypto/random'
import type { InStatement } from '#fairway/server/kernel/database/client'
import { localPartOf } from './accounts'

/** An account to create. */
export interface ImportedAccount {
  id: string
  email: string
  /** Empty: the local part of the address. */
  name: string
  /** Whether the other system says that the address was confirmed. */
  isConfirmed: boolean
  /** In a form that `readForeignHash` reads. */
  passwordHash: string | null
}

/** What the database knows about the account of an address. */
export interface KnownAccount {
  id: string
  email: string
  isConfirmed: boolean
}

/** The accounts of these addresses. */
export async function findAccountsOf(app: App, emails: readonly string[]): Promise<KnownAccount[]> {
  const find = app.db.prepareRead<{ id: string; email: string; isConfirmed: number }>(
    `select id, email, email_verified as isConfirmed from users where email in (select value from json_each(?))`,
  )
  const rows = await find([JSON.stringify(emails)])
  return rows.map(({ isConfirmed, ...row }) => ({ ...row, isConfirmed: isConfirmed === 1 }))
}

/**
 * The statements that create accounts whose addresses have none. The first one returns the `id` of each that it has created. An
 * account that exists keeps everything.
 */
export function importAccountStatements(app: App, accounts: readonly ImportedAccount[]): InStatement[] {
  const now = app.now().getTime()
  const rows = accounts.map(({ name, email, passwordHash, ...account }) => ({
    ...account,
    email,
    name: name || localPartOf(email),
    isConfirmed: Number(account.isConfirmed),
    passwordId: newId(),
    hash: passwordHash === null ? null : markImported(passwordHash),
  }))
  const field = (name: string) => `json_extract(j.value, '$.${name}')`
  const json = JSON.stringify(rows)
  return [
    {
      sql: `insert into users (id, name, email, email_verified, kind, created_at, updated_at)
        select ${field('id')}, ${field('name')}, ${field('email')}, ${field('isConfirmed')}, 'person', ?, ? from json_each(?) j
        where true on conflict do nothing returning id`,
      args: [now, now, json],
    },
    {
      sql: `insert into accounts (id, user_id, account_id, provider_id, password, created_at, updated_at)
        select ${field('passwordId')}, u.id, u.id, 'credential', ${field('hash')}, ?, ?
        from json_each(?) j join users u on u.id = ${field('id')} where ${field('hash')} is not null`,
      args: [now, now, json],
    },
  ]
}
