import { describe, expect, it } from 'vitest'
import { readIndex, readTable, tokensOf, translated } from '#fairway/cli/export/sql-tokens'

const names = new Set(['state', 'n', 'title', 'order'])
const translate = (sql: string) =>
  translated(tokensOf(sql), name => (names.has(name.toLowerCase()) ? `"${name.toLowerCase()}"` : undefined))

describe('translated', () => {
  it.each([
    [`state in ('ready', 'it''s')`, `"state" IN ( 'ready' , 'it''s' )`],
    ['`order` is not null and N == 1', '"order" IS NOT NULL AND "n" = 1'],
    ['n is 3 or n is not 4 or n is null', '"n" IS NOT DISTINCT FROM 3 OR "n" IS DISTINCT FROM 4 OR "n" IS NULL'],
    ['length("title") > 0 -- a comment', 'char_length ( "title" ) > 0'],
    ["lower([title]) || ifnull(title, x'00ff')", `lower ( "title" ) || coalesce ( "title" , '\\x00ff'::bytea )`],
    ['cast(title as integer) + 1.5e3', 'CAST ( "title" AS bigint ) + 1.5e3'],
    ['case when n > 1 then true else false end', 'CASE WHEN "n" > 1 THEN 1 ELSE 0 END'],
    ['(unixepoch() * 1000)', '( floor(extract(epoch from now()))::bigint * 1000 )'],
    ['current_timestamp', `to_char(now() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')`],
  ])('translates %s', (sql, expected) => expect(translate(sql)).toBe(expected))

  it.each([
    ['a comparison that ignores case', `title like 'a%'`],
    ['a function without a twin', `printf('%d', n)`],
    ['a function that counts in another way', 'substr(title, -3)'],
    ['a function of the name of an own property', 'constructor(n)'],
    ['an unknown column', 'nowhere = 1'],
    ['a bit operation', 'n & 1'],
    ['a hexadecimal number', 'n = 0x1F'],
    ['a second statement', `n = 1; drop table notes`],
  ])('returns undefined for %s', (_, sql) => expect(translate(sql)).toBeUndefined())
})

const plain = (tokens: { text: string }[]) => tokens.map(({ text }) => text).join(' ')

it('readTable finds checks, generated columns, collations and deferred references outside of texts', () => {
  const table = readTable(`CREATE TABLE "a, (b" (
    id integer primary key default 'check (x)', -- check (comment)
    "the check" text COLLATE nocase check ("the check" <> ')'),
    up text references t(id) on delete cascade deferrable initially deferred,
    down text references t(id),
    sum integer generated always as (id + (1)) stored,
    total integer as (id * 2),
    constraint positive check (id > 0), foreign key (down) references t(id) deferrable initially deferred
  )`)
  expect(table.checks.map(plain)).toEqual([`the check <> ')'`, 'id > 0'])
  expect([...table.generated].map(([name, tokens]) => [name, plain(tokens)])).toEqual([
    ['sum', 'id + ( 1 )'],
    ['total', 'id * 2'],
  ])
  expect([...table.collations]).toEqual([['the check', 'NOCASE']])
  expect(table.deferred).toEqual([true, false, true])
})

it('readIndex finds the expression of each place and the condition', () => {
  const { places, condition } = readIndex(
    'CREATE INDEX "x (" ON t (lower(a, b) desc, "c" collate nocase) WHERE a is null',
  )
  expect([places.map(plain), plain(condition)]).toEqual([['lower ( a , b )', 'c'], 'a is null'])
})
