import { expect, it } from 'vitest'
import { followStatus } from '../../../src/program/app-windows'
import { type DesktopStatus, desktopStatusSchema } from 'nuxt-fairway/desktop-wire'

type Apps = Record<string, DesktopStatus['apps'][number]['status']>

function follow() {
  const reloaded: string[] = []
  const tell = followStatus({ reload: (id, when) => void reloaded.push(`${id}, ${when}`) })
  const step = (apps: Apps, change: Partial<DesktopStatus> = {}) => {
    reloaded.length = 0
    const base = { state: 'signed-in', isEnabled: true, isAvailable: true, email: 'ada@example.test', reason: null }
    const listed = Object.entries(apps).map(([id, status]) => ({ id, name: id, status, reason: null }))
    tell(desktopStatusSchema.parse({ ...base, apps: listed, ...change }))
    return [...reloaded]
  }
  return { step }
}

it('followStatus reloads a window that asks for a sign-in once, when its application is signed in', () => {
  const { step } = follow()
  expect(step({ mail: 'working', docs: 'waiting' })).toEqual([])
  expect(step({ mail: 'signed-in', docs: 'working' })).toEqual(['mail, where it asks for a sign-in'])
  expect(step({ mail: 'signed-in', docs: 'failed' })).toEqual([])
})

it('followStatus reloads each signed-out application when its session has ended', () => {
  const { step } = follow()
  step({ mail: 'signed-in', docs: 'signed-in' })
  const leaving = { state: 'idle', email: null } as const
  expect(step({ mail: 'working', docs: 'working' }, leaving)).toEqual([])
  expect(step({ docs: 'working' }, leaving)).toEqual(['mail, wherever it is'])
  expect(step({}, leaving)).toEqual(['docs, wherever it is'])
})

it('followStatus reloads no windows when a person opts out or signs in again', () => {
  const first = follow()
  first.step({ mail: 'signed-in' })
  expect(first.step({}, { state: 'idle', email: null, isEnabled: false })).toEqual([])
  const second = follow()
  second.step({ mail: 'signed-in' })
  expect(second.step({}, { state: 'signing-in', email: null })).toEqual([])
})
