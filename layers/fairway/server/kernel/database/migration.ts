import { sha256 } from '../crypto/hash'

export interface Migration {
  name: string
  sql: string
  hash: string
}

/** The migrations of both journals. */
export interface ShippedMigrations {
  platform: Migration[]
  application: Migration[]
}

/** A migration from its file; line ends do not count, so a checkout on Windows has the same hash. */
export function toMigration(fileName: string, text: string): Migration {
  const sql = text.replaceAll('\r\n', '\n')
  return { name: fileName.replace(/\.sql$/, ''), sql, hash: sha256(sql) }
}
