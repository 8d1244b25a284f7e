// Runs the code of the recipes for moving on exports as the other systems write them, and reads the files that it makes.
import { execFileSync } from 'node:child_process'
import { createReadStream, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { expect, it } from 'vitest'
import { csvText } from '#fairway/server/kernel/export-rows'
import { type FileRow, readPeople } from '#fairway/cli/import-people/read-people'
import { firebase, firebaseHash, foreignHashes } from '../support/foreign-hashes'

const root = join(import.meta.dirname, '../..')
const {
  'bcrypt $2b$': BCRYPT = '',
  'bcrypt $2y$ of Laravel': BCRYPT_2Y = '',
  'pbkdf2_sha256 of Django': PBKDF2 = '',
} = foreignHashes

/** The code block of a recipe with this file name. */
function codeOf(recipe: string, name: string): string {
  const text = readFileSync(join(root, 'docs/recipes', `${recipe}.md`), 'utf8')
  const [, code] = new RegExp(`^\`\`\`\\w+ \\[${RegExp.escape(name)}\\]\\n(.*?)^\`\`\`$`, 'ms').exec(text) ?? []
  if (code === undefined) throw new Error(`${recipe} has no ${name}`)
  return code
}

type Shown = [
  email: string,
  name: string,
  isConfirmed: boolean,
  hash: string | null,
  organization: string,
  role: string,
]

async function peopleIn(file: string): Promise<(Shown | FileRow['person'])[]> {
  const rows = await Array.fromAsync(readPeople(createReadStream(file)))
  return rows.map(({ person }): Shown | FileRow['person'] =>
    'fault' in person
      ? person
      : [person.email, person.name, person.isConfirmed, person.passwordHash, person.organization, person.role],
  )
}

/** Runs the query of a recipe on tables with rows. Attached databases stand in for the schemas of PostgreSQL. */
async function fromSql(recipe: string, name: string, tables: string) {
  const folder = mkdtempSync(join(tmpdir(), 'fw-move-'))
  const client = createClient({ url: `file:${join(folder, 'old.db')}` })
  await client.execute(`attach '${join(folder, 'auth.db')}' as auth`)
  await client.executeMultiple(tables)
  const { columns, rows } = await client.execute(codeOf(recipe, name))
  client.close()
  const file = join(folder, 'people.csv')
  writeFileSync(file, csvText(rows.map(row => Object.fromEntries(columns.map(column => [column, row[column]])))))
  return peopleIn(file)
}

/** Runs the script of a recipe beside these files. */
async function fromScript(
  recipe: string,
  name: string,
  files: Record<string, string>,
  env: Record<string, string> = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'fw-move-'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const [path, text] of Object.entries({ ...files, [name]: codeOf(recipe, name) }))
    writeFileSync(join(folder, path), text)
  execFileSync(process.execPath, [name], { cwd: folder, env: { ...process.env, ...env } })
  return peopleIn(join(folder, 'people.csv'))
}

it('reads Better Auth with its organization plugin, owners first and names apart', async () => {
  const tables = `
    create table user (id text, email text, name text, emailVerified int, createdAt int);
    create table account (userId text, providerId text, password text);
    create table organization (id text, name text, slug text);
    create table member (userId text, organizationId text, role text);
    insert into user values ('1', 'ada@example.test', 'Ada', 1, 1), ('2', 'ben@example.test', 'Ben', 1, 2), ('3', 'eve@example.test', 'Eve', 0, 3);
    insert into account values ('1', 'credential', '${BCRYPT}'), ('2', 'github', null);
    insert into organization values ('a', 'Acme', 'acme'), ('b', 'Birch', 'birch'), ('c', 'acme', 'acme-2');
    insert into member values ('1', 'a', 'admin'), ('2', 'a', 'owner,admin'), ('1', 'b', 'member'), ('2', 'c', 'owner'), ('3', 'a', 'member');`
  const people = await fromSql('migrate-from-better-auth', 'better-auth.sql', tables)
  expect(people.toSorted()).toEqual([
    ['ada@example.test', 'Ada', true, BCRYPT, 'Acme (acme)', 'admin'],
    ['ada@example.test', 'Ada', true, BCRYPT, 'Birch', 'member'],
    ['ben@example.test', 'Ben', true, null, 'Acme (acme)', 'owner'],
    ['ben@example.test', 'Ben', true, null, 'acme (acme-2)', 'owner'],
    ['eve@example.test', 'Eve', false, null, '', 'member'],
  ])
  expect(people.slice(0, 2).map(person => Array.isArray(person) && person[5])).toEqual(['owner', 'owner'])
})

it('reads Auth.js', async () => {
  const tables = `create table users (email text, name text, emailVerified text);
    insert into users values ('ada@example.test', 'Ada', '2031-05-20'), ('ben@example.test', null, null), (null, 'Nobody', null);`
  expect(await fromSql('migrate-from-auth-js', 'auth-js.sql', tables)).toEqual([
    ['ada@example.test', 'Ada', true, null, '', 'member'],
    ['ben@example.test', '', false, null, '', 'member'],
  ])
})

it('reads Supabase', async () => {
  const tables = `create table auth.users (email text, encrypted_password text, email_confirmed_at text, raw_user_meta_data text, deleted_at text, created_at int);
    insert into auth.users values ('ada@example.test', '${BCRYPT}', '2031-05-20', '{"full_name":"Ada"}', null, 1),
      ('ben@example.test', null, null, '{"name":"Ben"}', null, 2), ('gone@example.test', '', null, '{}', '2031-05-20', 3);`
  expect(await fromSql('migrate-accounts', 'supabase.sql', tables)).toEqual([
    ['ada@example.test', 'Ada', true, BCRYPT, '', 'member'],
    ['ben@example.test', 'Ben', false, null, '', 'member'],
  ])
})

it('reads Django', async () => {
  const tables = `create table auth_user (id int, email text, first_name text, last_name text, password text, is_active int);
    insert into auth_user values (1, 'ada@example.test', 'Ada', 'Lovelace', '${PBKDF2}', 1), (2, 'ben@example.test', 'Ben', '', '!unusable', 1),
      (3, '', 'Nobody', '', '', 1), (4, 'gone@example.test', '', '', '${PBKDF2}', 0);`
  expect(await fromSql('migrate-accounts', 'django.sql', tables)).toEqual([
    ['ada@example.test', 'Ada Lovelace', false, PBKDF2, '', 'member'],
    ['ben@example.test', 'Ben', false, null, '', 'member'],
  ])
})

it('reads Laravel', async () => {
  const tables = `create table users (id int, email text, name text, email_verified_at text, password text);
    insert into users values (1, 'ada@example.test', 'Ada', '2031-05-20', '${BCRYPT_2Y}'), (2, 'ben@example.test', 'Ben', null, null);`
  expect(await fromSql('migrate-accounts', 'laravel.sql', tables)).toEqual([
    ['ada@example.test', 'Ada', true, BCRYPT_2Y, '', 'member'],
    ['ben@example.test', 'Ben', false, null, '', 'member'],
  ])
})

it('reads the NDJSON of Auth0', async () => {
  const ada = {
    _id: { $oid: '1' },
    email: 'ada@example.test',
    email_verified: true,
    passwordHash: BCRYPT,
    connection: 'db',
  }
  const ben = { _id: { $oid: '2' }, email: 'ben@example.test', name: 'Ben, "the second"', email_verified: false }
  const lines = [ada, ben].map(person => JSON.stringify(person)).join('\n')
  expect(await fromScript('migrate-accounts', 'auth0.mjs', { 'auth0.ndjson': `${lines}\n` })).toEqual([
    ['ada@example.test', '', true, BCRYPT, '', 'member'],
    ['ben@example.test', 'Ben, "the second"', false, null, '', 'member'],
  ])
})

it('reads the JSON of the Firebase CLI', async () => {
  const ada = { localId: '1', email: 'ada@example.test', emailVerified: true, displayName: 'Ada' }
  const users = [
    { ...ada, passwordHash: firebase.hash, salt: firebase.salt },
    { localId: '2', email: 'ben@example.test', emailVerified: false },
    { localId: '3', phoneNumber: '+15555550100' },
    { localId: '4', email: 'gone@example.test', disabled: true },
  ]
  const files = { 'firebase.json': JSON.stringify({ users }) }
  expect(await fromScript('migrate-accounts', 'firebase.mjs', files, { SIGNER_KEY: firebase.sk })).toEqual([
    ['ada@example.test', 'Ada', true, firebaseHash(), '', 'member'],
    ['ben@example.test', '', false, null, '', 'member'],
  ])
})

it('reads the CSV of Clerk with the members of its API', async () => {
  const fields =
    'id,first_name,last_name,username,primary_email_address,primary_phone_number,verified_email_addresses,unverified_email_addresses,verified_phone_numbers,unverified_phone_numbers,totp_secret,password_digest,password_hasher'
  const digest = [firebase.hash, firebase.salt, firebase.sk, firebase.ss, firebase.r, firebase.n].join('$')
  const lines = [
    fields,
    `user_1,Ada,Lovelace,,ada@example.test,,ada@example.test,,,,,${BCRYPT},bcrypt`,
    `user_2,Ben,,,ben@example.test,,,ben@example.test,,,,${digest},scrypt_firebase`,
    'user_3,,,cleo,,,,,,,,,',
    'user_5,Emil,,,emil@example.test,,,,,,,pbkdf2_sha256$1000$c2FsdHNhbHQ=$aGFzaGhhc2hoYXNoaGFzaA==,pbkdf2_sha256',
    'user_4,Dora,,,dora@example.test,,dora@example.test,,,,SECRET,,',
  ]
  const members = [
    { user_id: 'user_1', organization: 'Acme', role: 'member' },
    { user_id: 'user_2', organization: 'Acme', role: 'member' },
    { user_id: 'user_4', organization: 'Acme', role: 'owner' },
  ]
  const files = { 'clerk.csv': lines.join('\n'), 'clerk-members.json': JSON.stringify(members) }
  expect(await fromScript('migrate-from-clerk', 'clerk.mjs', files)).toEqual([
    ['dora@example.test', 'Dora', true, null, 'Acme', 'owner'],
    ['ada@example.test', 'Ada Lovelace', true, BCRYPT, 'Acme', 'member'],
    ['ben@example.test', 'Ben', false, firebaseHash(), '', 'member'],
    ['emil@example.test', 'Emil', false, '$pbkdf2-sha256$1000$c2FsdHNhbHQ=$aGFzaGhhc2hoYXNoaGFzaA==', '', 'member'],
  ])
})
