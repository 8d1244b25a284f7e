import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { requireCredential } from '#fairway/server/domains/organizations'
import {
  deleteCredential,
  listCredentials,
  putCredential,
  testCredential,
} from '#fairway/server/domains/organizations/vault'
import type { App } from '#fairway/server/kernel/app-context'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp, type TestApp } from '../../../../support/app'
import { withLatency } from '../../../../support/database-slow'
import { aMember } from '../../../../support/members'
import { query } from '../../../../support/query'

const VALUE = 'sk-live-0123456789abcdef'

let test: TestApp
let app: App
let ada: Session

beforeEach(async () => {
  const credentials = [
    { key: 'good', name: 'Good', test: async (value: string) => value === VALUE },
    { key: 'broken', name: 'Broken', test: async (value: string) => Promise.reject(new Error(`no: ${value}`)) },
  ]
  test = await createTestApp({}, { credentials })
  app = test.app
  ada = await aMember(app)
})
afterEach(() => test.close())

const ours = () => ({ orgId: ada.orgId ?? '' })
const mine = () => ({ userId: ada.userId })

describe('vault credential', () => {
  it('is stored encrypted and listed with its last four characters only', async () => {
    await putCredential(app, ours(), 'openai', VALUE)
    const listed = await listCredentials(app, ours())
    expect(listed).toMatchObject([{ key: 'openai', lastFour: 'cdef', state: 'readable' }])
    const rows = await query(app, 'select * from vault_credentials')
    expect(JSON.stringify([listed, rows, test.lines()])).not.toContain(VALUE)
    expect(await requireCredential(app, ada, 'openai')).toBe(VALUE)
  })

  it('shows no characters of a short value', async () => {
    await putCredential(app, ours(), 'pin', '1234')
    expect(await listCredentials(app, ours())).toMatchObject([{ key: 'pin', lastFour: '' }])
  })

  it('is one readable row after fifty concurrent saves', async () => {
    const slow = withLatency(app)
    await Promise.all(Array.from({ length: 50 }, (_, index) => putCredential(slow, ours(), 'openai', `value-${index}`)))
    expect(await listCredentials(app, ours())).toHaveLength(1)
    expect(await requireCredential(app, ada, 'openai')).toMatch(/^value-\d+$/)
  })

  it('of a person takes precedence over the one of the organization', async () => {
    await putCredential(app, ours(), 'openai', 'of the organization')
    await putCredential(app, mine(), 'openai', 'of the person')
    expect(await requireCredential(app, ada, 'openai')).toBe('of the person')
    await deleteCredential(app, mine(), 'openai')
    expect(await requireCredential(app, ada, 'openai')).toBe('of the organization')
  })

  it('of another organization or person returns credential-required', async () => {
    const eve = await aMember(app)
    await putCredential(app, ours(), 'openai', VALUE)
    await putCredential(app, mine(), 'github', VALUE)
    for (const key of ['openai', 'github']) {
      await expect(requireCredential(app, eve, key)).rejects.toMatchObject({
        code: 'credential-required',
        extra: { credential: key, addUrl: `/connections?credential=${key}` },
      })
    }
  })

  it('that was moved to another organization is listed as unreadable and returns credential-required', async () => {
    const eve = await aMember(app)
    await putCredential(app, ours(), 'openai', VALUE)
    await query(app, 'update vault_credentials set org_id = ?', [eve.orgId])
    expect(await listCredentials(app, { orgId: eve.orgId ?? '' })).toMatchObject([{ state: 'unreadable' }])
    await expect(requireCredential(app, eve, 'openai')).rejects.toMatchObject({
      code: 'credential-required',
      detail: expect.stringContaining('cannot be read'),
    })
    expect(test.lines()).toContainEqual(expect.objectContaining({ message: 'a stored credential cannot be read' }))
  })
})

describe('testCredential', () => {
  it.each([
    ['good', VALUE, 'works'],
    ['good', 'another', 'refused'],
    ['broken', VALUE, 'failed'],
    ['undeclared', VALUE, 'readable'],
  ])('for %s with %s returns %s', async (key, value, outcome) => {
    await putCredential(app, mine(), key, value)
    expect(await testCredential(app, mine(), key)).toEqual({ outcome })
    expect(JSON.stringify(test.lines())).not.toContain(VALUE)
  })

  it('throws not-found for a missing credential', async () => {
    await expect(testCredential(app, mine(), 'openai')).rejects.toMatchObject({ code: 'not-found' })
  })
})
