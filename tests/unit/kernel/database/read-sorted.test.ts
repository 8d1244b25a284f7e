import { beforeEach, describe, expect, it } from 'vitest'
import { listOrganizations } from '#fairway/server/domains/organizations'
import { listPeople } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import type { RowOrder, SortedQuery } from '#fairway/server/kernel/database/read-sorted'
import { listJobs } from '#fairway/server/kernel/jobs'
import { listMails } from '#fairway/server/kernel/mail/queue-mail'
import { JOB_ORDERS, MAIL_ORDERS, ORGANIZATION_ORDERS, PERSON_ORDERS } from '#fairway/shared/schemas/operator'
import { createTestApp } from '../../../support/app'
import { query } from '../../../support/query'

let app: App

/** 120 rows in each list, in which each value occurs many times. */
const ROWS = `with recursive n(n) as (select 1 union all select n + 1 from n where n < 120)`
const NAME = `case n % 4 when 0 then 'Émile' when 1 then 'emma' when 2 then 'Eva' else 'Zoë' end`

beforeEach(async () => {
  app = (await createTestApp()).app
  await query(
    app,
    `${ROWS} insert into users (id, email, name, kind, email_verified, security_version, created_at, updated_at)
      select 'p' || n, 'p' || n || '@example.test', ${NAME}, 'person', 1, 1, n % 3, 0 from n`,
  )
  await query(
    app,
    `${ROWS} insert into known_devices (user_id, device, first_seen_at, last_seen_at) select 'p' || n, 'd', 0, n % 5 from n where n % 2`,
  )
  await query(
    app,
    `${ROWS} insert into organizations (id, name, created_by, created_at) select 'o' || n, ${NAME}, 'p1', n % 3 from n`,
  )
  await query(
    app,
    `${ROWS} insert into org_members (org_id, user_id, role, joined_at) select 'o' || n, 'p' || n, 'owner', 0 from n where n % 3 = 0`,
  )
  await query(
    app,
    `${ROWS} insert into fw_jobs (id, name, input, state, attempts, most_attempts, run_at, created_at)
      select 'j' || n, ${NAME}, '{}', 'ready', n % 3, 9, n % 5, 0 from n`,
  )
  await query(
    app,
    `${ROWS} insert into mail_outbox (id, name, content, created_at, failed_at)
      select 'm' || n, ${NAME}, '', 0, case when n % 2 then n % 5 end from n`,
  )
})

interface Page {
  rows: readonly { id: string }[]
  cursor: string | null
}
type List<Field extends string> = (query: SortedQuery<Field>) => Promise<Page>

/** The ids of all pages in an order. */
async function walk<Field extends string>(list: List<Field>, sort: RowOrder<Field>): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const page: Page = await list({ sort, cursor })
    ids.push(...page.rows.map(({ id }) => id))
    cursor = page.cursor ?? undefined
  } while (cursor)
  return ids
}

async function expectStable<Field extends string>(fields: readonly Field[], list: List<Field>): Promise<void> {
  for (const field of fields) {
    const up = await walk(list, { field, isDescending: false })
    expect([field, up.length, new Set(up).size]).toEqual([field, 120, 120])
    expect(await walk(list, { field, isDescending: true })).toEqual(up.toReversed())
  }
}

const people: List<(typeof PERSON_ORDERS)[number]> = async query => {
  const { people: rows, cursor } = await listPeople(app, query)
  return { rows, cursor }
}

describe('lists of operators', () => {
  it('return each row once across pages in every order, with equal values in the order of ids', async () => {
    await expectStable(PERSON_ORDERS, people)
    await expectStable(ORGANIZATION_ORDERS, async query => {
      const { organizations: rows, cursor } = await listOrganizations(app, query)
      return { rows, cursor }
    })
    await expectStable(JOB_ORDERS, async query => {
      const { jobs: rows, cursor } = await listJobs(app, query)
      return { rows, cursor }
    })
    await expectStable(MAIL_ORDERS, async query => {
      const { mails: rows, cursor } = await listMails(app, query)
      return { rows, cursor }
    })
  })

  it('sort names without case and marks, and people who never signed in first', async () => {
    const namesOf = async (isDescending: boolean) =>
      (await listPeople(app, { sort: { field: 'name', isDescending } })).people.map(({ name }) => name)
    expect(new Set(await namesOf(false))).toEqual(new Set(['Émile', 'emma']))
    expect((await namesOf(true))[0]).toBe('Zoë')
    const { people: seen } = await listPeople(app, { sort: { field: 'lastSignInAt', isDescending: true } })
    expect(seen[0]?.lastSignInAt).toBe('1970-01-01T00:00:00.004Z')
  })

  it('return the first page for a cursor of another order and for an invalid one', async () => {
    const sort = { field: 'name', isDescending: false } as const
    const first = await people({ sort })
    const { cursor } = await people({ sort: { field: 'createdAt', isDescending: false } })
    for (const other of [cursor ?? '', 'invalid']) expect(await people({ sort, cursor: other })).toEqual(first)
  })
})
