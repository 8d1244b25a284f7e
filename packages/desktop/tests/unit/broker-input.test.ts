import { expect, it } from 'vitest'
import { createBroker, type BrokerInput, type DesktopApp } from '../../src'

const host: BrokerInput['host'] = {
  request: () => Promise.reject(new Error('nothing is asked here')),
  openWindow: () => Promise.reject(new Error('nothing is opened here')),
  cookies: () => ({ remove: () => Promise.resolve(), onAdded: () => () => {} }),
  preferences: { get: () => Promise.resolve(undefined), set: () => Promise.resolve() },
  now: () => 0,
  after: () => () => {},
}
const hub = 'https://hub.example.com'
const notes: DesktopApp = {
  id: 'notes',
  name: 'Notes',
  origin: 'https://notes.example.com',
  mode: 'production',
  isEnabled: true,
}

it.each([
  ['http', 'http://hub.example.com'],
  ['a path', `${hub}/`],
  ['this machine, unless it is told so', 'http://127.0.0.1:3000'],
  ['nothing', ''],
])('createBroker refuses as hub address: %s', (_title, origin) => {
  expect(() => createBroker({ host, hub: origin, apps: [] })).toThrow('exact https origin')
})

it.each([
  ['two applications of one id', [notes, notes]],
  ['an id that is none', [{ ...notes, id: '../notes' }]],
  ['a word for true', [{ ...notes, workspaceSso: 'true' }]],
  ['an unknown setting', [{ ...notes, cookies: true }]],
])('createBroker refuses a configuration with %s', (_title, apps) => {
  expect(() => createBroker({ host, hub, apps: apps as DesktopApp[] })).toThrow()
})

it('createBroker accepts pages from the exact origins of the hub and enabled applications', () => {
  const off = { ...notes, id: 'off', origin: 'https://off.example.com', isEnabled: false }
  const broker = createBroker({ host, hub, apps: [notes, off] })
  expect([hub, notes.origin].every(broker.speaksTo)).toBe(true)
  for (const origin of [
    '',
    'null',
    off.origin,
    `${hub}/`,
    'https://evil.example.com',
    'https://hub.example.com.evil.com',
  ])
    expect(broker.speaksTo(origin)).toBe(false)
})

it('createBroker returns failed and changes nothing when the device cannot store a preference', async () => {
  const full = { ...host, preferences: { ...host.preferences, set: () => Promise.reject(new Error('disk full')) } }
  const broker = createBroker({ host: full, hub, apps: [notes] })
  await broker.start()
  expect(await broker.handle({ type: 'set-enabled', isEnabled: false })).toEqual({ ok: false, code: 'failed' })
  expect(await broker.handle({ type: 'get-status' })).toMatchObject({ ok: true, status: { isEnabled: true } })
})
