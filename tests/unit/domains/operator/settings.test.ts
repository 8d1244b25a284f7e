import { expect, it } from 'vitest'
import { listSettings } from '#fairway/server/domains/operator/settings'

const shown = (value: string, name = 'DATABASE_URL') =>
  listSettings({ [name]: value }).find(each => each.name === name)?.value

it.each([
  ['libsql://db.example.com', 'libsql://db.example.com'],
  ['https://db.example.com:8080/', 'https://db.example.com:8080/'],
  ['libsql://user:s3cret@db.example.com', 'libsql://…@db.example.com'],
  ['libsql://s3cret@db.example.com/name', 'libsql://…@db.example.com/…'],
  ['https://db.example.com/s3cret/name', 'https://db.example.com/…'],
  ['https://db.example.com?authToken=s3cret', 'https://db.example.com/…'],
  ['https://db.example.com#s3cret', 'https://db.example.com/…'],
  ['https://db.example.com/x@s3cret', 'https://…'],
  ['https://user:s3/cret@db.example.com', 'https://…'],
  ['https://user:s3@cret@db.example.com', 'https://…'],
  ['https://user:s3,cret@db.example.com', 'https://…@db.example.com'],
  ['file:///data/fairway.db', 'file:///data/fairway.db'],
  ['file:.data/fairway.db', 'file:.data/fairway.db'],
  ['https://a.test/s3cret, https://b.test', 'https://a.test/…, https://b.test'],
  ['[{"origin":"https://a.test/s3cret","id":"a"}]', '[{"origin":"https://a.test/…","id":"a"}]'],
  ['plain text with user@example.com', 'plain text with user@example.com'],
])('shows %s as %s', (value, expected) => {
  expect(shown(value)).toBe(expected)
})

it('shows no part of a secret', () => {
  expect(shown('smtps://user:s3cret@mail.example.com', 'SMTP_URL')).toBeNull()
})
