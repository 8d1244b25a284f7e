import { beforeEach, describe, expect, it } from 'vitest'
import { claimAccessReviews } from '#fairway/server/domains/oauth-server/access-review'
import { listGrantPage } from '#fairway/server/domains/oauth-server/list-grants'
import type { App } from '#fairway/server/kernel/app-context'
import type { Session } from '#fairway/shared/schemas/session'
import { addTo, aMember } from '../../../support/members'
import { query } from '../../../support/query'
import { useTestApp } from '../../../support/use-app'

const test = useTestApp()
let app: App
let owner: Session
let member: Session

interface Grant {
  id: string
  name: string
  scope?: string
  /** Milliseconds since 1970; null for an API token that was never used. */
  usedAt?: number | null
  isEnded?: boolean
}

async function add(person: Session, orgId: string, { id, name, scope = 'mcp:read', usedAt = 1, isEnded }: Grant) {
  const now = Date.now()
  const ends = isEnded ? now - 1 : now + 86_400_000
  const token = usedAt === null ? id : null
  await query(
    app,
    `insert into oauth_grants (id, client_id, client_name, user_id, email, org_id, scope, resource, created_at, last_used_at, expires_at, token_hash)
      values (?, ?, ?, ?, ?, ?, ?, 'x', ?, ?, ?, ?)`,
    [id, id, name, person.userId, person.email, orgId, scope, now, usedAt, ends, token],
  )
}

beforeEach(async () => {
  app = test.app
  owner = await aMember(app, { name: 'Olga' })
  member = await aMember(app, { name: 'Zoë' })
  await addTo(app, owner, member, 'member')
})

const list = (more: Parameters<typeof listGrantPage>[2] = {}) => listGrantPage(app, owner.orgId ?? '', more)
const idsOf = async (...[more]: Parameters<typeof list>) => (await list(more)).grants.map(({ id }) => id)

describe('listGrantPage', () => {
  it('returns the apps and tokens of one organization that are in use, most recently used first', async () => {
    const orgId = owner.orgId ?? ''
    await add(owner, orgId, { id: 'early', name: 'Early', usedAt: 5 })
    await add(member, orgId, { id: 'late', name: 'Late', usedAt: 9 })
    await add(member, orgId, { id: 'unused-token', name: 'Script', usedAt: null })
    await add(owner, orgId, { id: 'ended', name: 'Ended', isEnded: true })
    await add(member, member.orgId ?? '', { id: 'elsewhere', name: 'Elsewhere' })
    expect(await idsOf()).toEqual(['late', 'early', 'unused-token'])
    expect(await list()).toMatchObject({ totalItems: 3, cursor: null })
  })

  it('finds by app or person, and those that may write, and sorts by each column', async () => {
    const orgId = owner.orgId ?? ''
    await add(owner, orgId, { id: 'a', name: 'beta', scope: 'mcp:read mcp:write', usedAt: 1 })
    await add(member, orgId, { id: 'b', name: 'Alpha', usedAt: 2 })
    await add(member, orgId, { id: 'c', name: 'Console', scope: 'operator', usedAt: 3 })
    expect(await idsOf({ search: 'ALPH' })).toEqual(['b'])
    expect(await idsOf({ search: 'zoe' })).toEqual(['c', 'b'])
    expect(await idsOf({ search: 'nobody' })).toEqual([])
    expect(await idsOf({ writing: true })).toEqual(['c', 'a'])
    const sorted = (field: 'name' | 'person' | 'lastUsedAt', isDescending = false) =>
      idsOf({ sort: { field, isDescending } })
    expect([await sorted('name'), await sorted('person', true), await sorted('lastUsedAt')]).toEqual([
      ['b', 'a', 'c'],
      ['c', 'b', 'a'],
      ['a', 'b', 'c'],
    ])
  })

  it('returns every grant once, page by page, in each order', async () => {
    const ids = Array.from({ length: 120 }, (_, at) => `grant-${at}`)
    // Several have the same name and the same time.
    for (const [at, id] of ids.entries())
      await add(at % 2 ? owner : member, owner.orgId ?? '', { id, name: `App ${at % 7}`, usedAt: at % 5 })
    for (const field of ['name', 'person', 'lastUsedAt'] as const)
      for (const isDescending of [true, false]) {
        const found: string[] = []
        for (let cursor: string | undefined; ;) {
          const page = await list({ sort: { field, isDescending }, cursor })
          expect(page.totalItems).toBe(120)
          found.push(...page.grants.map(({ id }) => id))
          if (page.cursor === null) break
          cursor = page.cursor
        }
        expect(found.toSorted()).toEqual(ids.toSorted())
      }
  })

  it('leaves none out of the monthly review', async () => {
    const old = Date.now() - 40 * 86_400_000
    await query(
      app,
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 1200)
        insert into oauth_grants (id, client_id, client_name, user_id, email, org_id, scope, resource, created_at, last_used_at, expires_at)
        select 'old' || i, 'c' || i, 'App', ?, ?, ?, 'mcp:read', 'x', ?, ?, ? from n`,
      [owner.userId, owner.email, owner.orgId, old, old, Date.now() + 86_400_000],
    )
    expect((await Array.fromAsync(claimAccessReviews(app))).map(({ grants }) => grants.length)).toEqual([1200])
  })
})
