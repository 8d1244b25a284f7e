import { beforeEach, expect, it } from 'vitest'
import { deleteAccount, exportAccount, planAccountEnd } from '#fairway/server/domains/sign-in'
import type { Session } from '#fairway/shared/schemas/session'
import { useTestApp } from '../../../../support/use-app'
import { aMember, addTo } from '../../../../support/members'
import { countRows, query } from '../../../../support/query'

const test = useTestApp()
let person: Session

beforeEach(async () => {
  person = await aMember(test.app)
  await query(
    test.app,
    `create table "odd ""name" (key text primary key, owner_email text, picture blob) without rowid`,
  )
  await query(test.app, 'create view shown as select owner_email from notes')
  await query(test.app, `insert into "odd ""name" values ('mine', ?, x'00ff'), ('other', 'other@example.test', null)`, [
    person.email,
  ])
})

const leave = () =>
  deleteAccount(test.app, { ...person, sessionId: null }, { email: person.email }, 'request').then(
    () => 'done',
    error => error.code,
  )

it('a table with any name and no row IDs is exported and counted, but a view is not', async () => {
  const { text } = await exportAccount(test.app, person)
  const { rows } = JSON.parse((await Array.fromAsync(text)).join(''))
  expect(rows).toEqual({
    notes: [],
    'odd "name': [{ key: 'mine', owner_email: person.email, picture: 'AP8=' }],
  })
  expect((await planAccountEnd(test.app, person)).rows).toEqual([{ table: 'odd "name', rows: 1 }])
})

it('deleting the account deletes its rows in such a table and keeps those of others', async () => {
  expect(await leave()).toBe('done')
  expect(await query(test.app, 'select key from "odd ""name"')).toEqual([{ key: 'other' }])
  expect(await countRows(test.app, 'users')).toBe(0)
})

it('the deletion plan counts every row of an organization without other members, regardless of its owner', async () => {
  const other = await aMember(test.app)
  await query(test.app, 'create table boats (id text primary key, org_id text not null)')
  await query(test.app, `insert into boats values ('a', ?), ('b', ?), ('theirs', ?)`, [
    person.orgId,
    person.orgId,
    other.orgId,
  ])
  await query(
    test.app,
    `insert into notes (id, owner_email, org_id, title, created_at, updated_at)
      values ('mine', ?, ?, '', 0, 0), ('left', 'gone@example.test', ?, '', 0, 0)`,
    [person.email, person.orgId, person.orgId],
  )
  expect((await planAccountEnd(test.app, person)).rows).toEqual([
    { table: 'boats', rows: 2 },
    { table: 'notes', rows: 2 },
    { table: 'odd "name', rows: 1 },
  ])
  expect(await leave()).toBe('done')
  expect(await query(test.app, 'select id from boats union select id from notes')).toEqual([{ id: 'theirs' }])
})

it('the account is kept unchanged when another table refers to its rows', async () => {
  await query(test.app, `create table pages (id text, of text references "odd ""name" (key))`)
  await query(test.app, `insert into pages values ('1', 'mine')`)
  expect(await leave()).toBe('rows-refused')
  expect(await countRows(test.app, 'users where id = ?', [person.userId])).toBe(1)
  expect(await countRows(test.app, 'organizations')).toBe(1)
})

it('the last owner cannot leave an organization with other members, even when one is an admin', async () => {
  const other = await aMember(test.app)
  await addTo(test.app, person, other, 'admin')
  expect(await leave()).toBe('last-owner')
  await query(test.app, `update org_members set role = 'owner' where user_id = ?`, [other.userId])
  expect(await leave()).toBe('done')
  expect(await query(test.app, 'select user_id from org_members where org_id = ?', [person.orgId])).toEqual([
    { user_id: other.userId },
  ])
})
