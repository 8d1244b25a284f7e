import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createClient } from '@libsql/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSqld } from '../../../support/database-sqld'
import { fw } from '../../../support/fw'
import { borrowServer } from '../../../support/server'
import { hasPostgres, type Postgres, startPostgres } from '../../../support/postgres'
import { query } from '../../../support/query'
import { createTeamWorld } from '../../../support/team'

const folder = mkdtempSync(join(tmpdir(), 'fw-export-'))
const at = (name: string) => join(folder, name)

/** Tables as SQLite accepts them, with values that their declared types do not announce. */
const ODD = `
pragma foreign_keys = off;
create table parents (id integer primary key autoincrement, name text not null collate nocase unique,
  note text default 'it''s', made_at integer default (unixepoch() * 1000), flag boolean default true);
create table circle_a (id text primary key, b_id text references circle_b(id) deferrable initially deferred,
  self_id text references circle_a on delete set null);
create table circle_b (id text primary key, a_id text references CIRCLE_A(ID) on delete cascade);
create table "Odd ""Names""" ("Select" integer, "a:b" text, primary key ("Select", "a:b")) without rowid;
create table composite (x integer, y text, s integer, t text, check (x > 0 and y <> 'no'), check (y like 'a%'),
  foreign key (s, t) references "Odd ""Names""" ("Select", "a:b") on delete cascade, unique (x desc, y));
create table loose (id integer primary key, n integer, d decimal(10,2), r real, b blob, t text, w datetime, anything);
create table gen (id integer primary key, first text, last text, whole text generated always as (first || ' ' || last),
  len integer generated always as (length(first)) stored not null, other text as (printf('%s', first)));
create table keyless (a text primary key, b text);
create table children (rowid text, parent_id integer references parents(id), gone integer references not_there(id));
create table refers (id integer primary key, loose_n integer references loose(n));
create unique index loose_n on loose (n);
create index composite_expr on composite (lower(y), x desc) where y is not null and x is not 3;
create index composite_glob on composite (y) where y glob 'a*';
create unique index parents_flag on parents (flag) where flag = 1;
create view good as select p.id, count(*) as n from parents p left join children c on c.parent_id = p.id group by p.id;
create view bad as select printf('%d', id) from parents;
create trigger tr after insert on parents begin select 1; end;
insert into parents (name, note, made_at, flag) values ('ada', null, 1, 1), ('Ümit', '', 2, 0),
  ('tab' || char(9) || 'back\\slash "q" ''s''' || char(10, 13) || '\\.', '\\N', 3, 0), ('😀', '\\', 4, 0), ('gone', '', 5, 0);
delete from parents where id = 5;
insert into circle_a values ('1', null, null), ('3', null, '1'); insert into circle_b values ('2', '1');
update circle_a set b_id = '2';
insert into "Odd ""Names""" values (1, 'x'), (9007199254740993, 'é');
insert into composite values (1, 'abc', 9007199254740993, 'é'), (2, 'a', null, null);
insert into loose values (1, 9223372036854775807, 5, 1.5, x'00ff41', 'text', '2024-01-01', 1),
  (2, -9223372036854775808, 5.25, 9e999, zeroblob(0), '', 7, 'x'), (3, 1.5, null, -9e999, null, null, null, x'41'),
  (4, 'seven', 0.1, 5e-324, x'5c', hex(zeroblob(300000)), null, null);
insert into gen (id, first, last) values (1, 'Ada', 'L'), (2, 'É', 'é');
insert into keyless values (null, '1'), (null, '2'), ('a', '3');
insert into children values ('r1', 1, null);
insert into refers values (1, 9223372036854775807);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
  insert into children select 'row ' || i, 1 + i % 4, null from n;
insert into children values ('orphan', 99, null);
`

function openOdd(): { env: Record<string, string>; path: string; database: DatabaseSync } {
  const path = join(mkdtempSync(join(folder, 'data-')), 'fairway.db')
  const database = new DatabaseSync(path)
  database.exec(ODD)
  return { env: { DATABASE_URL: `file:${path}` }, path, database }
}

const exported = async (env: Record<string, string>, name: string, ...more: string[]) => {
  const ended = await fw(['export', at(name), '--to', 'postgres', '--json', ...more], env)
  expect([ended.code, ended.err]).toEqual([0, ''])
  return JSON.parse(ended.out) as {
    tables: { name: string; rows: number }[]
    notes: { kind: string; name: string; text: string }[]
  }
}

const digest = (rows: (string | null)[][]): string =>
  createHash('sha256')
    .update(JSON.stringify(rows.map(row => JSON.stringify(row)).toSorted()))
    .digest('hex')

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`

/** The columns and the checksum of the values of each table, read from PostgreSQL by two statements. */
function loadedTables(postgres: Postgres, database: string, names: string[]) {
  const columnsOf = Object.groupBy(
    postgres.rows<{ of: string; name: string; type: string }>(
      database,
      `select table_name as of, column_name as name, data_type as type from information_schema.columns order by column_name collate "C"`,
    ),
    ({ of }) => of,
  )
  const texts = (table: string) => columnsOf[table]?.map(({ name }) => `${quote(name)}::text`).join(', ')
  const reads = names.map((name, i) => `select ${i} as i, json_build_array(${texts(name)}) as v from ${quote(name)}`)
  const rowsOf = Object.groupBy(
    postgres.rows<{ i: number; v: (string | null)[] }>(database, reads.join(' union all ')),
    ({ i }) => i,
  )
  return names.map((name, n) => {
    const columns = columnsOf[name] ?? []
    const rows = (rowsOf[n] ?? []).map(({ v }) =>
      v.map((text, i) => (columns[i]?.type === 'double precision' && text ? String(Number(text)) : text)),
    )
    return {
      name,
      columns: columns.map(column => column.name),
      types: columns.map(({ type }) => type),
      sum: digest(rows),
    }
  })
}

/** The checksum of the same values in SQLite, where a column of bytes holds texts and numbers too. */
function storedSum(
  database: DatabaseSync,
  table: string,
  { columns, types }: { columns: string[]; types: string[] },
): string {
  const statement = database.prepare(`select ${columns.map(quote).join(', ')} from ${quote(table)}`)
  statement.setReadBigInts(true)
  statement.setReturnArrays(true)
  const rows = statement.all() as unknown as (string | bigint | number | null | Uint8Array)[][]
  const toText = (value: (typeof rows)[number][number], i: number) => {
    if (value === null) return null
    if (types[i] !== 'bytea') return String(value)
    return `\\x${Buffer.from(value instanceof Uint8Array ? value : String(value)).toString('hex')}`
  }
  return digest(rows.map(row => row.map(toText)))
}

/** Expects that PostgreSQL has every table, row and value of this database. */
function expectSame(
  postgres: Postgres,
  database: string,
  source: DatabaseSync,
  tables: { name: string; rows: number }[],
) {
  const stored = loadedTables(
    postgres,
    database,
    tables.map(({ name }) => name),
  )
  expect(stored.map(({ name, sum }) => [name, sum])).toEqual(
    stored.map(table => [table.name, storedSum(source, table.name, table)]),
  )
  expect(tables).toEqual(
    tables.map(({ name }) => ({ name, rows: source.prepare(`select count(*) as n from ${quote(name)}`).get()?.n })),
  )
  expect(tables.length).toBeGreaterThan(9)
}

describe('fw export --to postgres', () => {
  it('refuses NUL characters with their table, column and row, and replaces them on request', async () => {
    const { env, database } = openOdd()
    database.exec(
      `update parents set note = 'a' || char(0) || 'b' where id = 3; insert into keyless values ('k' || char(0), 'b')`,
    )
    database.close()
    const refused = await fw(['export', at('nul.sql'), '--to', 'postgres'], env)
    expect([refused.code, refused.out]).toEqual([1, ''])
    expect(refused.err).toMatch(/column parents\.note: has NUL characters in "id" 3\n.*keyless\.a: /)
    expect(existsSync(at('nul.sql'))).toBe(false)
    const { notes } = await exported(env, 'nul.sql', '--replace-nul')
    expect(notes).toContainEqual({ kind: 'column', name: 'parents.note', text: 'has NUL characters in "id" 3' })
    expect(readFileSync(at('nul.sql'), 'utf8')).toContain('\ta\uFFFDb\t')
  })

  it('writes nothing in a dry run, replaces a file only with --force, and refuses other targets', async () => {
    const { env, database } = openOdd()
    database.close()
    const dry = await fw(['export', at('new.sql'), '--to', 'postgres', '--dry-run'], env)
    expect([dry.code, dry.err, existsSync(at('new.sql'))]).toEqual([0, '', false])
    expect(dry.out).toMatch(/^10 tables, \d+ rows\. Nothing was written\.\n/)
    expect(dry.out).toContain('trigger parents.tr: is not translated\n')
    writeFileSync(at('old.sql'), 'mine', { mode: 0o644 })
    const refused = await fw(['export', at('old.sql'), '--to', 'postgres'], env)
    expect([refused.code, readFileSync(at('old.sql'), 'utf8')]).toEqual([1, 'mine'])
    expect(refused.err).toContain('old.sql is there already. Nothing was written. Replace it with --force.')
    const forced = await fw(['export', at('old.sql'), '--to', 'postgres', '--force'], env)
    expect([forced.code, forced.err, statSync(at('old.sql')).mode & 0o777]).toEqual([0, '', 0o600])
    expect(forced.out).toContain('It contains password hashes and sealed secrets. Only you can read it.')
    expect((await fw(['export', '--to', 'mysql'], env)).code).toBe(2)
    expect((await fw(['export', '--to', 'postgres'], { DATABASE_URL: 'file::memory:' })).err).toContain('in memory')
    expect((await fw(['export', '--to', 'postgres'], { DATABASE_URL: `file:${at('old.sql')}` })).err).toBe(
      `The database ${at('old.sql')} cannot be read: file is not a database\n`,
    )
    expect(readdirSync(folder).filter(name => name.includes('part'))).toEqual([])
  })

  it('lists what it cannot translate, in the output and in the file', async () => {
    const { env, database } = openOdd()
    database.close()
    const { notes } = await exported(env, 'notes.sql')
    expect(notes.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'collation parents.name',
      'check composite.2',
      'index composite.composite_glob',
      'column loose.n',
      'column loose.w',
      'column loose.anything',
      'generated column gen.other',
      'view bad',
      'trigger parents.tr',
    ])
    const text = readFileSync(at('notes.sql'), 'utf8')
    for (const { kind, name, text: reason } of notes) expect(text).toContain(`--   ${kind} ${name}: ${reason}\n`)
  })

  it('writes the same file from a libSQL server', async () => {
    const { env, database } = openOdd()
    database.close()
    await exported(env, 'file.sql')
    const sqld = await startSqld()
    const client = createClient({ url: sqld.url })
    await client.executeMultiple(ODD)
    client.close()
    await exported({ DATABASE_URL: sqld.url }, 'server.sql')
    await sqld.stop()
    expect(readFileSync(at('server.sql'), 'utf8')).toBe(readFileSync(at('file.sql'), 'utf8'))
  })
})

describe.skipIf(!hasPostgres)('an export in PostgreSQL', () => {
  let postgres: Postgres
  beforeAll(async () => void (postgres = await startPostgres()))
  afterAll(() => postgres.stop())

  /** Loads an export into a new database; returns what psql warns of. */
  function load(database: string): string[] {
    postgres.create(database)
    const { code, err } = postgres.psql(database, '-f', at(`${database}.sql`))
    expect([code, err.includes('ERROR')]).toEqual([0, false])
    return err.split('\n').flatMap(line => /WARNING: {2}(.*?)\. /.exec(line)?.[1] ?? [])
  }
  const refused = (database: string, sql: string) => postgres.psql(database, '-c', sql).err.split('\n')[0]

  it('has every table, row and value of the sample, and its keys', async () => {
    const server = await borrowServer()
    const { owner, member, orgId } = await createTeamWorld(server).team()
    const post = async (path: string, json: object) => expect((await owner.browser.post(path, { json })).ok).toBe(true)
    await post('/_fw/org/teams', { name: 'Sales 😀' })
    await post('/_fw/org/roles', { name: 'Archivists', permissions: ['notes:purge'] })
    for (const title of ['One', '“Two”\t\\ \\. \\N', 'Ünï 😀'])
      await post('/_fw/actions/create-note', { title, text: `${title}\r\n'quoted' "twice"` })
    await query(
      server,
      `insert into fw_files (id, org_id, upload, name, type, size, sha256, state, created_at) values ('f', ?, 'scans', 'a\\b.pdf', 'application/pdf', 9007199254740993, 'x', 'kept', 1)`,
      [orgId],
    )
    // Jobs write while the sample runs, so both sides read a copy.
    await query(server, 'vacuum into ?', [at('sample.db')])
    await server.stop()
    const { tables, notes } = await exported({ DATABASE_URL: `file:${at('sample.db')}` }, 'sample.sql')
    const counts = Object.fromEntries(tables.map(({ name, rows }) => [name, rows]))
    for (const name of [
      'users',
      'organizations',
      'org_members',
      'notes',
      'fw_teams',
      'audit_log',
      'fw_files',
      'sessions',
    ])
      expect([name, (counts[name] ?? 0) > 0]).toEqual([name, true])
    expect(new Set(notes.map(({ kind }) => kind))).toEqual(new Set(['trigger']))
    expect(load('sample')).toEqual([])
    const source = new DatabaseSync(at('sample.db'), { readOnly: true })
    expectSame(postgres, 'sample', source, tables)
    source.close()
    expect(refused('sample', `update sessions set user_id = 'nowhere'`)).toMatch(/violates foreign key constraint/)
    expect(refused('sample', `update users set email = '${owner.email}' where email = '${member.email}'`)).toMatch(
      /duplicate key value violates unique constraint/,
    )
  })

  it('has odd values, circles, generated columns, and what the rows allow of the rest', async () => {
    const { env, database } = openOdd()
    const { tables } = await exported(env, 'odd.sql')
    expect(load('odd')).toEqual([
      'Tried in a weaker form: primary key of keyless',
      'Tried in a weaker form: foreign key of children to parents',
      'Tried in a weaker form: foreign key of children to not_there',
      'Not made: foreign key of children to not_there',
    ])
    expectSame(postgres, 'odd', database, tables)
    database.close()
    expect(loadedTables(postgres, 'odd', ['loose'])[0]).toMatchObject({
      columns: ['anything', 'b', 'd', 'id', 'n', 'r', 't', 'w'],
      types: ['bytea', 'bytea', 'numeric', 'bigint', 'text', 'double precision', 'text', 'text'],
    })
    const inserts = `insert into parents (name, flag) values ('new', 0); insert into gen (id, first, last) values (9, 'Ümit', 'x')`
    expect(postgres.psql('odd', '-c', inserts).code).toBe(0)
    expect(
      postgres.rows(
        'odd',
        `select p.id, note, made_at > 1700000000000 as is_now, whole, len from parents p, gen where name = 'new' and gen.id = 9`,
      ),
    ).toEqual([{ id: 6, note: "it's", is_now: true, whole: 'Ümit x', len: 4 }])
    expect(refused('odd', `insert into parents (id, name, flag) values (1, 'x', 0)`)).toMatch(/parents_pkey/)
    expect(refused('odd', `insert into parents (name, flag) values ('ADA', 0)`)).toMatch(/parents_lower_idx/)
    expect(refused('odd', `insert into parents (name) values ('x')`)).toMatch(/parents_flag/)
    expect(refused('odd', `insert into children (parent_id) values (98)`)).toMatch(/children_parent_id_fkey/)
    expect(refused('odd', `update composite set t = 'z' where x = 1`)).toMatch(/violates foreign key constraint/)
    expect(refused('odd', `insert into composite (x, y) values (0, 'a')`)).toMatch(/composite_check/)
    expect(refused('odd', `update refers set loose_n = '7'`)).toMatch(/refers_loose_n_fkey/)
    expect(refused('odd', `insert into circle_a values ('9', 'none', null)`)).toMatch(/circle_a_b_id_fkey/)
    expect(postgres.rows('odd', 'select * from good order by id limit 1')).toEqual([{ id: 1, n: 1251 }])
    postgres.psql(
      'odd',
      '-c',
      `begin; insert into circle_a values ('7', '8', null); insert into circle_b values ('8', '7'); commit`,
    )
    postgres.psql('odd', '-c', `delete from circle_a where id = '7'`)
    expect(postgres.rows('odd', `select id from circle_b order by id`)).toEqual([{ id: '2' }])
  })

  it('loads nothing of a file that was cut off', async () => {
    const { env, database } = openOdd()
    database.close()
    await exported(env, 'cut.sql')
    const text = readFileSync(at('cut.sql'), 'utf8')
    writeFileSync(at('cut.sql'), text.slice(0, text.indexOf('commit;')))
    postgres.create('cut')
    postgres.psql('cut', '-f', at('cut.sql'))
    expect(postgres.rows('cut', `select 1 from pg_tables where schemaname = 'public'`)).toEqual([])
  })
})
