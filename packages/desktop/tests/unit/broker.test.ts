import { describe, expect, it } from 'vitest'
import {
  createBroker,
  createPageClient,
  type BrokerInput,
  type DesktopApp,
  desktopAnswerSchema,
  type PageBridge,
} from '../../src'

const hub = 'https://hub.example.com'
const notes: DesktopApp = {
  id: 'notes',
  name: 'Notes',
  origin: 'https://notes.example.com',
  mode: 'production',
  isEnabled: true,
}

/** A host that reaches no server and keeps preferences in memory. */
function aHost(): BrokerInput['host'] {
  const kept = new Map<string, unknown>()
  return {
    request: () => Promise.reject(new Error('nothing is asked here')),
    openWindow: () => Promise.reject(new Error('nothing is opened here')),
    cookies: () => ({ remove: () => Promise.resolve(), onAdded: () => () => {} }),
    preferences: { get: key => Promise.resolve(kept.get(key)), set: async (key, value) => void kept.set(key, value) },
    now: () => 0,
    after: () => () => {},
  }
}
const aBroker = (apps: DesktopApp[], host = aHost()) => createBroker({ host, hub, apps })

describe('createBroker', () => {
  it.each([`${hub}/`, 'http://127.0.0.1:3000', ''])('refuses %j as the address of the hub', origin => {
    expect(() => createBroker({ host: aHost(), hub: origin, apps: [] })).toThrow('exact https origin')
  })

  it.each([
    ['two applications of one id', [notes, notes]],
    ['an id that is none', [{ ...notes, id: '../notes' }]],
    ['a word for true', [{ ...notes, workspaceSso: 'true' }]],
    ['an unknown setting', [{ ...notes, cookies: true }]],
  ])('refuses a configuration with %s', (_title, apps) => {
    expect(() => aBroker(apps as DesktopApp[])).toThrow()
  })

  it('accepts pages from the exact origins of the hub and enabled applications', () => {
    const off = { ...notes, id: 'off', origin: 'https://off.example.com', isEnabled: false }
    const { speaksTo } = aBroker([notes, off])
    expect([hub, notes.origin].every(speaksTo)).toBe(true)
    const others = ['', 'null', off.origin, `${hub}/`, 'https://evil.example.com', `${hub}.evil.com`]
    expect(others.filter(speaksTo)).toEqual([])
  })
})

describe('broker.handle', () => {
  it.each([
    undefined,
    null,
    'sign-in',
    [],
    {},
    { type: 'get-cookies' },
    { type: 'sign-in', email: 'ada@example.com' },
    { type: 'set-enabled' },
    { type: 'set-enabled', isEnabled: 'false' },
    { type: ['sign-in'] },
    Object.create({ type: 'sign-in' }),
  ])('refuses the unknown command %j and changes nothing', async message => {
    const broker = aBroker([notes])
    const before = broker.status()
    expect(await broker.handle(message)).toEqual({ ok: false, code: 'unknown-command' })
    expect(broker.status()).toEqual(before)
    expect(desktopAnswerSchema.safeParse({ ok: true, status: { ...before, cookie: 'x' } }).success).toBe(false)
  })

  it('returns failed and changes nothing when the device cannot store a preference', async () => {
    const host = aHost()
    host.preferences.set = () => Promise.reject(new Error('disk full'))
    const broker = aBroker([notes], host)
    await broker.start()
    expect(await broker.handle({ type: 'set-enabled', isEnabled: false })).toEqual({ ok: false, code: 'failed' })
    expect(await broker.handle({ type: 'get-status' })).toMatchObject({ ok: true, status: { isEnabled: true } })
  })

  it('applies the last of several simultaneous opt-out changes, also after a restart', async () => {
    const host = aHost()
    const broker = aBroker([notes], host)
    await broker.start()
    const minds = [false, true, false, true, false]
    await Promise.all(minds.map(isEnabled => broker.handle({ type: 'set-enabled', isEnabled })))
    expect(broker.status()).toMatchObject({ isEnabled: false, isAvailable: false })
    const next = aBroker([notes], host)
    await next.start()
    expect(next.status()).toMatchObject({ isEnabled: false })
  })
})

it('createPageClient passes only messages that match the schemas', async () => {
  const broker = aBroker([notes])
  const bridgeOf = (answer: unknown): PageBridge => ({
    send: () => Promise.resolve(answer),
    onStatus(listener) {
      listener({ state: 'signed-in', cookie: 'x' })
      listener(broker.status())
      return () => {}
    },
  })
  const seen: string[] = []
  const status = broker.status()
  createPageClient(bridgeOf(undefined)).onStatus(({ state }) => seen.push(state))
  expect(seen).toEqual(['idle'])
  const send = (answer: unknown) => createPageClient(bridgeOf(answer)).send({ type: 'get-status' })
  expect(await send({ ok: true, status })).toEqual({ ok: true, status })
  await expect(send({ ok: true, status: { ...status, cookie: 'x' } })).rejects.toThrow('cookie')
})
