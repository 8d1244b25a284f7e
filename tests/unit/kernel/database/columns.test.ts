import { eq } from 'drizzle-orm'
import { sqliteTable } from 'drizzle-orm/sqlite-core'
import { beforeEach, expect, it } from 'vitest'
import { email, id, timestamp } from '#fairway/server/kernel/database/columns'
import { useEmptyDatabase } from '../../../support/use-app'

const people = sqliteTable('people', {
  id: id(),
  email: email('email').notNull().unique(),
  seenAt: timestamp('seen_at'),
})

const db = useEmptyDatabase()

beforeEach(async () => {
  await db.client.execute('create table people (id text primary key, email text not null unique, seen_at integer)')
})

it('email columns store addresses trimmed and in lower case, and find them in any case', async () => {
  await db.orm.insert(people).values({ id: 'a', email: ' Ada@Example.TEST ' })
  expect(await db.orm.select().from(people).where(eq(people.email, 'ADA@example.test'))).toMatchObject([
    { id: 'a', email: 'ada@example.test' },
  ])
  await expect(db.orm.insert(people).values({ id: 'b', email: 'ADA@EXAMPLE.TEST' })).rejects.toThrow('UNIQUE')
})

it('timestamp columns keep milliseconds', async () => {
  const seenAt = new Date('2026-11-21T04:05:06.789Z')
  await db.orm.insert(people).values({ id: 'a', email: 'a@example.test', seenAt })
  expect(await db.orm.select({ seenAt: people.seenAt }).from(people)).toEqual([{ seenAt }])
  expect((await db.client.execute('select seen_at from people')).rows[0]?.seen_at).toBe(seenAt.getTime())
})
