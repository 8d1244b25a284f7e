import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { authorContext } from '#fairway/server/domains/actions'
import { deleteOrganization, requireOrg } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { backgroundDone } from '#fairway/server/kernel/background'
import type { Session } from '#fairway/shared/schemas/session'
import { useTestApp } from '../../../support/use-app'
import { withLatency } from '../../../support/database-slow'
import { refusalOf } from '../../../support/error-code'
import { aMember, anotherOrg } from '../../../support/members'
import { query } from '../../../support/query'

const test = useTestApp({ FW_ORG_DELETION_GRACE: '0' })
let ada: Session

beforeEach(async () => {
  ada = await aMember(test.app)
})

const inHand = (session: Session | null = ada, app: App = test.app) =>
  authorContext(app, { session, signal: new AbortController().signal, requestId: 'test' })

describe('state', () => {
  it('is stored as JSON for one person in one organization', async () => {
    const { state } = inHand()
    expect(await state.get('tour')).toBeNull()
    await state.set('tour', { step: 2, seen: ['a'], last: null })
    await state.set('tour', { step: 3, seen: ['a', 'ü'], last: null })
    expect(await state.get('tour')).toEqual({ step: 3, seen: ['a', 'ü'], last: null })
    expect(await state.get('another')).toBeNull()
    expect(await inHand(await aMember(test.app)).state.get('tour')).toBeNull()
    const elsewhere = inHand(await anotherOrg(test.app, ada)).state
    expect(await elsewhere.get('tour')).toBeNull()
    await elsewhere.set('tour', 'new')
    await elsewhere.delete('tour')
    expect(await state.get('tour')).toMatchObject({ step: 3 })
    expect(await query(test.app, 'select user_id, org_id, key from application_state')).toMatchObject([
      { user_id: ada.userId, org_id: ada.orgId, key: 'tour' },
    ])
  })

  it('is stored separately for a person without an organization', async () => {
    const alone = { ...ada, orgId: null, orgName: null, orgRole: null }
    await inHand(alone).state.set('tour', 1)
    expect([await inHand(alone).state.get('tour'), await inHand().state.get('tour')]).toEqual([1, null])
  })

  it('returns provider-required when the organization is closed to the session', async () => {
    const closedOrg = {
      id: 'x',
      name: 'X',
      provider: 'google',
      providerName: 'Google',
      signIn: null,
      isOwnProvider: false,
    }
    const { state } = inHand({ ...ada, orgId: null, orgName: null, orgRole: null, closedOrg })
    expect(await refusalOf(state.set('tour', 1))).toBe('provider-required')
  })

  it('is deleted with its organization and with its account', async () => {
    const second = await anotherOrg(test.app, ada)
    await inHand().state.set('tour', 1)
    await inHand(second).state.set('tour', 2)
    await deleteOrganization(test.app, requireOrg(second, 'delete-organization'), 'Second')
    await backgroundDone(test.app)
    expect(await query(test.app, 'select value from application_state')).toMatchObject([{ value: '1' }])
    await query(test.app, 'delete from users where id = ?', [ada.userId])
    expect(await query(test.app, 'select value from application_state')).toEqual([])
  })
})

describe('settings', () => {
  it('are stored per person across all organizations', async () => {
    await inHand().settings.set('theme', 'dark')
    expect(await inHand(await anotherOrg(test.app, ada)).settings.get('theme')).toBe('dark')
    expect(await inHand(await aMember(test.app)).settings.get('theme')).toBeNull()
    await inHand().settings.delete('theme')
    expect(await inHand().settings.get('theme')).toBeNull()
  })

  it.each(['active-org-id', 'dev-signed-out', 'local-migration-hook'])(
    'refuse the key %s, which is reserved for the platform',
    async key => {
      await query(test.app, 'delete from user_settings')
      const { settings, state } = inHand()
      const attempts = [
        settings.get(key),
        settings.set(key, 'x'),
        settings.update(key, () => 'x'),
        settings.delete(key),
      ]
      expect(await Promise.all(attempts.map(refusalOf))).toEqual(Array(4).fill('reserved-setting'))
      expect(await query(test.app, 'select * from user_settings')).toEqual([])
      // Only settings share a table with the platform.
      expect(await refusalOf(state.set(key, 'x'))).toBe('done')
    },
  )
})

describe.each(['state', 'settings'] as const)('%s', kind => {
  it('returns unauthenticated without a session', async () => {
    const attempts = (session: Session | null) => {
      const values = inHand(session)[kind]
      return [values.get('a'), values.set('a', 1), values.update('a', () => 1), values.delete('a')]
    }
    expect(await Promise.all(attempts(null).map(refusalOf))).toEqual(Array(4).fill('unauthenticated'))
  })

  it('keeps every one of many concurrent updates', async () => {
    const slow = withLatency(test.app)
    const add = (name: string) =>
      inHand(ada, slow)[kind].update('names', names => [...(names ?? []), name], z.array(z.string()))
    const names = Array.from({ length: 12 }, (_value, index) => `name ${index}`)
    await Promise.all(names.map(add))
    expect(((await inHand()[kind].get('names', z.array(z.string()))) ?? []).toSorted()).toEqual(names.toSorted())
  })

  it('returns the result of an update', async () => {
    const values = inHand()[kind]
    const count = (value: unknown) => (typeof value === 'number' ? value + 1 : 1)
    expect([await values.update('n', count), await values.update('n', count), await values.get('n')]).toEqual([1, 2, 2])
  })

  it('validates the stored value against the schema, and fails when it does not match', async () => {
    const values = inHand()[kind]
    const schema = z.object({ size: z.int(), tags: z.array(z.string()).default([]) })
    expect(await values.get('view', schema)).toBeNull()
    await values.set('view', { size: 3 })
    expect(await values.get('view', schema)).toEqual({ size: 3, tags: [] })
    await values.set('view', { size: 'large' })
    expect(await refusalOf(values.get('view', schema))).toBe('internal')
    expect(await refusalOf(values.update('view', () => ({ size: 1 }), schema))).toBe('internal')
    expect(await values.get('view', schema.catch({ size: 1, tags: [] }))).toEqual({ size: 1, tags: [] })
    expect(await values.get('view')).toEqual({ size: 'large' })
  })

  it('limits a value to 64 KiB and a key to 200 plain characters', async () => {
    const values = inHand()[kind]
    await values.set('text', 'x'.repeat(64 * 1024 - 2))
    expect(await refusalOf(values.set('text', 'x'.repeat(64 * 1024 - 1)))).toBe('value-too-large')
    expect(await refusalOf(values.set('text', 'ü'.repeat(33 * 1024)))).toBe('value-too-large')
    expect(await refusalOf(values.update('text', text => `${String(text)}x`))).toBe('value-too-large')
    for (const key of ['', 'x'.repeat(201), 'a b', 'a\n', "a'"]) {
      expect([key, await refusalOf(values.set(key, 1))]).toEqual([key, 'invalid-input'])
    }
    expect(await values.get('text')).toHaveLength(64 * 1024 - 2)
  })

  it('rejects a value that is not JSON', async () => {
    await expect(inHand()[kind].set('a', undefined)).rejects.toThrow(TypeError)
  })
})
