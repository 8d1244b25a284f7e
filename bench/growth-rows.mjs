// Writes the rows of a grown installation into the database file of a stopped server. A size of 1 is the largest. It has 100,000
// accounts with a session each, an organization with 10,000 members and 1,000,000 notes, and 5,000 other organizations with the
// other people. It also has 1,000,000 rows of the audit log (half of them from the large organization) and 10,000 jobs.
import Database from 'libsql'

/** The number of rows at size 1. */
export const MOST = {
  people: 100_000,
  members: 10_000,
  notes: 1_000_000,
  organizations: 5000,
  audit: 1_000_000,
  jobs: 10_000,
  events: 100_000,
  grants: 20_000,
  shares: 20_000,
  deliveries: 50_000,
  mails: 1000,
  secrets: 10_000,
}
/** The measured person's rows in a database of any size. */
const OWN_ROWS = 30
const OPEN_ROWS = 10_000

const id = (at, number) => `printf('%08x-%04x-7000-8000-%012x', (${at}) >> 16, (${at}) & 65535, ${number})`
const numbers = count =>
  `with recursive numbers(i) as (select 0 where ${count} > 0 union all select i + 1 from numbers where i < ${count - 1})`
const TEXT = `'What is written in this note of somebody, long enough to be a note that people write: ' || i || hex(randomblob(60))`

/** Fills the file. `person` is the measured person: their id, address, organization, and one of its webhooks. */
export function fillRows(file, person, size) {
  const database = new Database(file)
  database.exec(
    'pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -400000; pragma temp_store = memory',
  )
  // Indexes are created at the end. Triggers report writes to servers, and none runs here. The next start creates those of
  // searches, with all rows.
  const made = database
    .prepare(`select type, name, sql from sqlite_master where type in ('index', 'trigger') and sql is not null`)
    .all()
  database.exec('begin')
  for (const { type, name } of made) database.exec(`drop ${type} "${name}"`)
  for (const statement of statementsFor(person, size, Date.now())) database.exec(statement)
  for (const { name, sql } of made) if (!name.startsWith('fw_text_')) database.exec(sql)
  database.exec('commit; pragma journal_mode = wal')
  database.close()
}

const quoted = text => `'${text.replaceAll("'", "''")}'`

/** Ids of the requested rows. */
export const SECOND_ORG = 'second'
export const OPEN_ORG = 'open'
export const NOTE = 'own-0'

function statementsFor({ userId, email, orgId, webhookId }, size, now) {
  const count = Object.fromEntries(Object.entries(MOST).map(([name, most]) => [name, Math.round(most * size)]))
  const [me, mine, org, hook] = [userId, email, orgId, webhookId].map(quoted)
  const other = `'org-' || (i % ${Math.max(1, count.organizations)})`
  const ago = (step, total) => `${now} - (${total} - i) * ${step}`
  const auditAt = ago(20_000, count.audit)
  return [
    `${numbers(count.people)} insert into users (id, name, email, email_verified, created_at, updated_at)
      select 'person-' || i, 'Person ' || i, 'person' || i || '@example.test', 1, ${ago(60_000, count.people)}, ${now} from numbers`,
    `${numbers(count.people)} insert into accounts (id, user_id, account_id, provider_id, created_at, updated_at)
      select 'account-' || i, 'person-' || i, 'person-' || i, 'google', ${now}, ${now} from numbers`,
    `${numbers(count.people)} insert into sessions (id, user_id, token, expires_at, ip_address, user_agent, provider, created_at, updated_at)
      select 'session-' || i, 'person-' || i, 'token-' || i, ${now} + 2000000000, '203.0.113.7', 'Firefox', 'google', ${now}, ${now} from numbers`,
    `${numbers(count.people)} insert into known_devices (user_id, device, first_seen_at, last_seen_at)
      select 'person-' || i, 'Firefox on Linux', ${now}, ${now} from numbers`,
    `${numbers(count.organizations)} insert into organizations (id, name, created_by, created_at)
      select 'org-' || i, 'Organization ' || i, 'person-' || i, ${ago(1_000_000, count.organizations)} from numbers`,
    `insert into organizations (id, name, created_by, created_at) values ('${SECOND_ORG}', 'Second', ${me}, ${now}), ('${OPEN_ORG}', 'Open', ${me}, ${now})`,
    `insert into org_members (org_id, user_id, role, joined_at) values ('${SECOND_ORG}', ${me}, 'owner', ${now}), ('${OPEN_ORG}', ${me}, 'owner', ${now})`,
    `${numbers(count.people)} insert into org_members (org_id, user_id, role, joined_at)
      select case when i < ${count.members} then ${org} else ${other} end, 'person-' || i,
        case when i < ${count.members} then 'member' else 'owner' end, ${now} + i from numbers`,
    ...notesFor({ count, now, org, mine }),
    ...auditFor({ count, now, org, me, mine, other, auditAt }),
    ...restFor({ count, now, org, hook }),
  ]
}

function notesFor({ count, now, org, mine }) {
  const columns = 'notes (id, owner_email, org_id, visibility, title, text, archived, created_at, updated_at)'
  return [
    `${numbers(count.notes)} insert into ${columns} select 'note-' || i, 'person' || (i % ${Math.max(1, count.members)}) || '@example.test',
      ${org}, 'private', 'Note ' || i, ${TEXT}, 0, ${now}, ${now} - i from numbers`,
    `${numbers(OWN_ROWS)} insert into ${columns} select 'own-' || i, ${mine}, ${org}, 'private', 'Own ' || i, ${TEXT}, 0, ${now}, ${now} - i from numbers`,
    `${numbers(count.notes > 0 ? OPEN_ROWS : OWN_ROWS)} insert into ${columns} select 'open-' || i, 'person0@example.test', '${OPEN_ORG}', 'org', 'Open ' || i,
      ${TEXT}, 0, ${now}, ${now} - i from numbers`,
  ]
}

function auditFor({ count, now, org, me, mine, other, auditAt }) {
  const columns = `audit_log (id, at, action, caller, via, user_id, user_email, org_id, outcome, request_id, input, subject_type,
    subject_id, subject_title, chain, seq, hash)`
  const person = `(i % ${Math.max(1, count.members)})`
  const owner = `case i % 2 when 0 then ${org} else ${other} end`
  // Half of the rows belong to the large organization. One in twenty describes a note that everyone could read, and one in ten
  // comes from a host.
  return [
    `${numbers(count.audit)} insert into ${columns} select ${id(auditAt, 'i')}, ${auditAt}, case i % 5 when 0 then 'create-note' else 'update-note' end,
      case i % 10 when 4 then 'mcp' else 'http' end, case i % 10 when 4 then 'client-' || (i % 50) end,
      'person-' || ${person}, 'person' || ${person} || '@example.test', ${owner}, 'ok', 'request-' || i, '{"id":"note-' || i || '"}', 'notes',
      'note-' || (i % ${Math.max(1, count.notes)}), case when i % 20 = 0 then 'Note ' || i end, ${owner}, i / 2 + 10, 'hash' from numbers`,
    `${numbers(OWN_ROWS)} insert into ${columns} select ${id(`${now} - 5000000 + i`, `${count.audit} + i`)}, ${now} - 5000000 + i, 'update-note', 'http', null,
      ${me}, ${mine}, ${org}, 'ok', 'own-request-' || i, '{"id":"own-' || i || '"}', 'notes', 'own-' || i, null, ${org}, i + 10 + ${count.audit} / 2, 'hash'
      from numbers`,
    `insert into audit_heads (chain, seq, hash) select chain, max(seq), 'hash' from audit_log where true group by chain
      on conflict (chain) do update set seq = excluded.seq`,
  ]
}

function restFor({ count, now, org, hook }) {
  const member = `(i % ${Math.max(1, count.members)})`
  return [
    `${numbers(count.jobs)} insert into fw_jobs (id, name, input, state, run_at, most_attempts, created_at)
      select ${id(`${now} - 86400000 + i`, 'i')}, 'fw-send-mail', json_object('mailId', 'none-' || i), 'scheduled', ${now} + 86400000 + i, 1, ${now} from numbers`,
    `${numbers(count.events)} insert into security_events (id, at, kind, user_id, reason) select ${id(`${now} - i * 1000`, 'i')}, ${now} - i * 1000,
      'account-exported', 'person-' || i, 'A reason' from numbers`,
    `${numbers(count.grants)} insert into oauth_grants (id, client_id, client_name, user_id, email, org_id, scope, resource, created_at, last_used_at, expires_at)
      select 'grant-' || i, 'client-' || (i % 50), 'A host', 'person-' || ${member}, 'person' || ${member} || '@example.test', ${org}, 'mcp:read', 'https://example.test/mcp', ${now}, ${now}, ${now} + 9000000000 from numbers`,
    `${numbers(count.shares)} insert or ignore into shares (resource, resource_id, user_id, role, org_id, shared_by, shared_at)
      select 'notes', 'note-' || i, 'person-' || ${member}, 'viewer', ${org}, 'person-0', ${now} from numbers`,
    `${numbers(count.deliveries)} insert into fw_webhook_deliveries (id, webhook_id, event_id, source, type, event_at, state, tries, queued_at)
      select ${id(`${now} - i * 1000`, 'i')}, ${hook}, 'event-' || i, 'audit', 'audit.update-note', ${now}, 'sent', 1, ${now} - i * 1000 from numbers`,
    `${numbers(count.mails)} insert into mail_outbox (id, name, content, failed_at, created_at) select ${id(`${now} - i * 1000`, 'i')}, 'invitation', 'sealed', ${now}, ${now} from numbers`,
    `${numbers(count.secrets)} insert into fw_one_time (hash, purpose, subject, created_at, expires_at) select 'hash-' || i, 'link', 'subject-' || i, ${now}, ${now} + 900000 from numbers`,
    `${numbers(count.secrets)} insert into rate_limits (key, count, ends_at) select 'key-' || i, 1, ${now} + 900000 from numbers`,
  ]
}
