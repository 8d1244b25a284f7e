import { beforeEach, describe, expect, it } from 'vitest'
import {
  createOrganization,
  deleteOrganization,
  orgUrl,
  purgeFormerSlugs,
  purgeOrganizations,
  requireOrg,
  restoreOrganization,
} from '#fairway/server/domains/organizations'
import { changeSlug, leadsTo } from '#fairway/server/domains/organizations/org-slugs'
import { migrateAll } from '#fairway/server/kernel/database/migrate'
import { toSlug } from '#fairway/shared/org-slug'
import type { Session } from '#fairway/shared/schemas/session'
import { platformMigrations, quietLog } from '../../../support/database'
import { refusalOf } from '../../../support/error-code'
import { addTo, aMember } from '../../../support/members'
import { query } from '../../../support/query'
import { useEmptyDatabase, useTestApp } from '../../../support/use-app'

const DAY = 24 * 60 * 60 * 1000
const test = useTestApp()
let ada: Session
let bob: Session

beforeEach(async () => {
  ada = await aMember(test.app, { name: 'Grace' })
  bob = await aMember(test.app, { name: 'Grace' })
})

const change = ({ userId, orgId }: Session, slug: string, by = userId) =>
  refusalOf(changeSlug(test.app, { userId: by, orgId: orgId ?? '' }, slug))
const leads = (slug: string, { orgId }: Session) => leadsTo(test.app, slug, orgId)
const daysLater = (days: number) => void (test.app.now = () => new Date(Date.now() + days * DAY))

describe('slug of a new organization', () => {
  it('is made of its name, and has a random ending where it is taken', async () => {
    expect(ada.orgSlug).toBe('graces-organization')
    expect(bob.orgSlug).toMatch(/^graces-organization-[0-9a-f]{8}$/)
    const { slug } = await createOrganization(test.app, bob, { name: '東京', confirm: true })
    expect(slug).toMatch(/^org-[0-9a-f]{8}$/)
  })
})

describe('changeSlug', () => {
  it('changes it; the one before leads on, and no other organization can take it', async () => {
    expect(await change(ada, 'harbour')).toBe('done')
    for (const slug of ['harbour', 'graces-organization']) {
      expect(await leads(slug, ada)).toBe(true)
      expect(await change(bob, slug)).toBe('slug-taken')
    }
    expect(await change(ada, 'graces-organization')).toBe('done')
    expect(await query(test.app, 'select slug from fw_former_slugs')).toEqual([{ slug: 'harbour' }])
  })

  it('requires an owner', async () => {
    await addTo(test.app, ada, bob, 'admin')
    expect(await change(ada, 'harbour', bob.userId)).toBe('forbidden')
    expect(await query(test.app, 'select slug from fw_former_slugs')).toEqual([])
  })

  it('is limited to five changes a day', async () => {
    for (let number = 1; number <= 5; number++) expect(await change(ada, `limited-${number}`)).toBe('done')
    expect(await change(ada, 'limited-6')).toBe('rate-limited')
  })

  it('lets one of two organizations that want the same one at once have it', async () => {
    const results = await Promise.all([ada, bob].map(person => change(person, 'contested')))
    expect(results.toSorted()).toEqual(['done', 'slug-taken'])
  })
})

describe('end of a slug', () => {
  it('frees a former one after 90 days', async () => {
    await change(ada, 'harbour')
    daysLater(89)
    await purgeFormerSlugs(test.app)
    expect(await change(bob, 'graces-organization')).toBe('slug-taken')
    daysLater(91)
    await purgeFormerSlugs(test.app)
    expect(await leads('graces-organization', ada)).toBe(false)
    expect(await change(bob, 'graces-organization')).toBe('done')
  })

  it('leaves a deleted organization its slugs until it is removed', async () => {
    await change(ada, 'harbour')
    const destroy = () => deleteOrganization(test.app, requireOrg(ada, 'delete-organization'), ada.orgName ?? '')
    await destroy()
    for (const slug of ['harbour', 'graces-organization']) expect(await change(bob, slug)).toBe('slug-taken')
    expect(await restoreOrganization(test.app, ada, ada.orgId ?? '')).toMatchObject({ slug: 'harbour' })
    await destroy()
    daysLater(60)
    await purgeOrganizations(test.app)
    expect(await query(test.app, 'select slug from fw_former_slugs')).toEqual([])
    for (const slug of ['harbour', 'graces-organization']) expect(await change(bob, slug)).toBe('done')
  })
})

it('orgUrl is the address of a page in the organization', async () => {
  const { baseUrl } = test.app.config
  expect(await orgUrl(test.app, ada.orgId ?? '', '/team')).toBe(`${baseUrl}/o/graces-organization/team`)
  expect(await orgUrl(test.app, 'gone', '/team')).toBe(`${baseUrl}/team`)
})

const db = useEmptyDatabase()

it('the migration gives existing organizations the slug of their name', async () => {
  const platform = await platformMigrations()
  const at = platform.findIndex(({ name }) => name.endsWith('org_slugs'))
  await migrateAll(db, { platform: platform.slice(0, at), application: [] }, quietLog)
  const names = [
    'Acme',
    'Northwind Traders, Inc.',
    "Ada Lovelace's organization",
    'Müller & Söhne Straße',
    'A\u0308rzte',
    `${'a'.repeat(39)} b`,
    '  --A--B--  ',
    'Team',
    '東京',
    '',
    'ACME!',
    'acme',
  ]
  for (const [index, name] of names.entries())
    await db.client.execute({
      sql: 'insert into organizations (id, name, created_by, created_at) values (?, ?, ?, ?)',
      args: [`o${String(index).padStart(2, '0')}`, name, 'ada', index],
    })
  await migrateAll(db, { platform, application: [] }, quietLog)
  const { rows } = await db.client.execute('select slug from organizations order by id')
  const slugs = rows.map(({ slug }) => String(slug))
  expect(slugs.slice(0, 7)).toEqual(names.slice(0, 7).map(toSlug))
  for (const slug of slugs.slice(7, 10)) expect(slug).toMatch(/^org-[0-9a-f]{8}$/)
  for (const slug of slugs.slice(10)) expect(slug).toMatch(/^acme-[0-9a-f]{8}$/)
})
