// Checks SQLite's query plans: no request may scan a whole table that grows with an installation.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Client, createClient } from '@libsql/client'
import { sampleDir } from '../../scripts/sample.mjs'

/** Tables that may be scanned, with the reason why they stay small. */
const SMALL_TABLES: Readonly<Record<string, string>> = {
  fw_migrations: 'one row for each migration',
  fw_application_migrations: 'one row for each migration',
  fw_policies: 'one row for each policy of the settings',
  fw_installation: 'one row',
  feature_flags: 'one row for each switch',
  oauth_keys: 'one row for each rotation; those that verify nothing any more are deleted',
  oauth_clients: 'at most 10,000, and read when one more registers',
  security_event_counts: 'one row for each kind and hour, and read by metrics',
}

/** Statements that may scan a table, by a part of their text, each with the reason. */
const KNOWN_SCANS: Readonly<Record<string, string>> = {
  'from "users" where ("users"."kind" = ? and ': 'the list of operators, newest first; a search looks at every name',
  '"users"."id" in (select':
    'a page of operators: newest first by an index; by name or last sign-in, it compares all accounts',
  '"organizations"."id" in (select':
    'a page of operators: newest first by an index; by name or members, it compares all',
  '"mail_outbox"."id" in (select': 'a page of operators: only mails that wait, or failed in the past week',
  'from "organizations" where ((case when length(organizations.name)': 'a search of operators looks at every name',
  'id in (select id from fw_jobs where':
    'a page of operators: what the platform has done stays for an hour, what is done otherwise for a day',
  'select count(*) as n from users': 'health, for operators: how many accounts there are',
  'select count(*) as n from organizations': 'health, for operators: how many organizations there are',
  'where true limit ?': 'a list of operators counts 10,000 rows; all only where the exact total is requested',
  'where "users"."kind" <> ?': 'in development alone; ends at the first row',
}

/** Statements of hourly jobs. Their writes share commits with requests' writes, so the recorder may count them as a request's. */
const OF_JOBS = [
  'delete from "rate_limits" where "rate_limits"."ends_at" <= ?',
  'delete from "sessions" where "sessions"."expires_at" <= ?',
  'delete from "verifications" where "verifications"."expires_at" <= ?',
  'delete from oauth_grants where coalesce(revoked_at, expires_at) <= ?',
  "revoked_reason = 'unused' where revoked_at is null",
  'delete from fw_address_changes where expires_at <= ?',
  'where "fw_webhooks"."former_until" < ?',
  "update fw_files set state = 'unwanted' where state = 'kept'",
]

interface Recorded {
  /** The method and the path of the first request that ran the statement. */
  request: string
  sql: string
}

const fileOf = (dataDir: string): string => `${dataDir.replace(/\/+$/, '')}-statements`

/** The environment that makes a test's server record the statements of its requests. */
export function recording(dataDir: string): Record<string, string> {
  // Benchmarks, browser tests and component tests start these servers too, without the recorder.
  if (!process.env.VITEST || process.env.FW_TEST_UNRECORDED) return {}
  const recorder = fileURLToPath(new URL('statement-recorder.mjs', import.meta.url))
  return { NODE_OPTIONS: `--import ${recorder}`, TEST_STATEMENTS: fileOf(dataDir) }
}

/** Records the statements of requests to an app in this process, until the returned function is called. */
export async function recordHere(dataDir: string): Promise<() => void> {
  await import('./statement-recorder.mjs')
  process.env.TEST_STATEMENTS = fileOf(dataDir)
  return () => delete process.env.TEST_STATEMENTS
}

/** The statements that this process has found to scan no growing table. */
const harmless = new Set<string>()

/** Throws when a request of this server has scanned a growing table. */
export async function expectNoScans(dataDir: string): Promise<void> {
  const statements = readStatements(dataDir).filter(({ sql }) => !harmless.has(sql))
  // The next test that borrows this server is not blamed for it.
  rmSync(fileOf(dataDir), { force: true })
  const scans = await scansOf(statements)
  if (scans.length > 0) throw new Error(`requests read whole tables:\n${scans.join('\n')}`)
  for (const { sql } of statements) harmless.add(sql)
}

/** The distinct statements that requests of this server have run since `expectNoScans`. */
export function readStatements(dataDir: string): Recorded[] {
  const file = fileOf(dataDir)
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  return lines.map(line => JSON.parse(line))
}

/** The statements that scan a growing table, with their requests and plans. Only the sample's tables are checked. */
export async function scansOf(statements: readonly Recorded[]): Promise<string[]> {
  if (statements.length === 0) return []
  // Benchmarks import this file too and cannot resolve aliases at load time.
  const { copyMigratedDatabase } = await import('#fairway/testing/database')
  const folder = await mkdtemp(join(tmpdir(), 'fw-plans-'))
  await copyMigratedDatabase(sampleDir, join(folder, 'plans.db'))
  const client = createClient({ url: `file:${join(folder, 'plans.db')}` })
  try {
    const { rows } = await client.execute(`select name from sqlite_master where type = 'table'`)
    const tables = new Set(rows.map(({ name }) => String(name)))
    const scans: string[] = []
    for (const { request, sql } of statements) {
      const found = withoutSubqueries(await planOf(client, sql)).filter(line => isScan(line, sql, tables))
      if (found.length > 0) scans.push(`${request}\n  ${found.join('\n  ')}\n  ${sql}`)
    }
    return scans
  } finally {
    client.close()
    await rm(folder, { recursive: true })
  }
}

/** The lines of EXPLAIN QUERY PLAN; empty when the table does not exist. */
async function planOf(client: Client, sql: string): Promise<string[]> {
  const nothing = Array.from(sql.matchAll(/\?/g), () => null)
  const named = Object.fromEntries(Array.from(sql.matchAll(/[:@$]([a-z]\w*)/gi), ([, name]) => [name, null]))
  try {
    const args = nothing.length > 0 ? nothing : named
    return (await client.execute({ sql: `explain query plan ${sql}`, args })).rows.map(({ detail }) => String(detail))
  } catch (error) {
    if (/no such (table|column)/.test(String(error))) return []
    throw new Error(`no plan for ${sql}`, { cause: error })
  }
}

function isScan(line: string, sql: string, tables: ReadonlySet<string>): boolean {
  const [, name = '', index] = /^SCAN (\S+)(?: USING (?:COVERING )?INDEX (\S+))?/.exec(line) ?? []
  const table = tableOf(name, sql, tables)
  if (!table || table in SMALL_TABLES || line.includes('VIRTUAL TABLE')) return false
  const flat = sql.replaceAll(/\s+/g, ' ')
  if ([...Object.keys(KNOWN_SCANS), ...OF_JOBS].some(part => flat.includes(part))) return false
  // These indexes contain only rows that wait or run.
  if (index?.startsWith('fw_jobs_')) return false
  // An ordered scan that stops at the end of the page.
  const outer = outermost(flat)
  return !outer.includes(table) || !/ limit /i.test(outer) || / where /i.test(outer)
}

/** A plan without the lines that scan a subquery, whose name may equal the alias of a table. */
function withoutSubqueries(plan: readonly string[]): string[] {
  const left = [...plan]
  for (const line of plan) {
    const [, name] = /^(?:CO-ROUTINE|MATERIALIZE) (\S+)/.exec(line) ?? []
    const at = name === undefined ? -1 : left.lastIndexOf(`SCAN ${name}`)
    if (at >= 0) left.splice(at, 1)
  }
  return left
}

/** A statement without the parts in parentheses. */
function outermost(sql: string): string {
  const shorter = sql.replaceAll(/\([^()]*\)/g, '')
  return shorter === sql ? sql : outermost(shorter)
}

/** The table with this name or alias in a plan; undefined for a subquery. */
function tableOf(name: string, sql: string, tables: ReadonlySet<string>): string | undefined {
  if (tables.has(name)) return name
  const named = sql.matchAll(/\b(?:from|join|update|into)\s+["`]?(\w+)["`]?\s+(?:as\s+)?["`]?(\w+)["`]?/gi)
  return [...named].find(([, table = '', alias]) => alias === name && tables.has(table))?.[1]
}
