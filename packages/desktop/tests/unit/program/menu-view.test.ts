import { describe, expect, it } from 'vitest'
import type { DesktopApp } from '../../../src'
import { menuElements } from '../../../src/program/menu-page'
import { menuCommandSchema, menuView, type MenuInput, type Texts } from '../../../src/program/menu-view'
import type { DesktopStatus } from 'nuxt-fairway/desktop-wire'

const texts: Texts = (key, values) => [key, ...Object.values(values ?? {})].join(' ')
const app = (id: string, change: Partial<DesktopApp> = {}): DesktopApp => ({
  id,
  name: id,
  origin: `https://${id}.example.com`,
  mode: 'production',
  isEnabled: true,
  ...change,
})
const status = (change: Partial<DesktopStatus> = {}): DesktopStatus => ({
  state: 'idle',
  isEnabled: true,
  isAvailable: true,
  email: null,
  apps: [],
  reason: null,
  ...change,
})
const view = (change: Partial<DesktopStatus> = {}, rest: Partial<MenuInput> = {}) =>
  menuView(
    {
      status: status(change),
      hub: 'https://hub.example.com',
      apps: [app('mail'), app('docs')],
      isOpen: () => false,
      hasCrashed: () => false,
      isAskedToSignOut: false,
      failure: null,
      ...rest,
    },
    texts,
  )
const commands = (...given: Parameters<typeof view>) => view(...given).buttons.map(({ command }) => command.type)

describe('menuView', () => {
  it('offers the commands that each state allows', () => {
    expect(commands()).toEqual(['sign-in'])
    expect(commands({ state: 'signing-in' })).toEqual(['sign-in', 'ask-sign-out'])
    expect(commands({ state: 'signed-in' })).toEqual(['ask-sign-out'])
    expect(commands({ state: 'incomplete' })).toEqual(['retry', 'ask-sign-out'])
    expect(commands({ state: 'sign-in-required' })).toEqual(['sign-in', 'ask-sign-out'])
    expect(commands({ state: 'failed' })).toEqual(['sign-in', 'ask-sign-out'])
    expect(commands({ isAvailable: false })).toEqual([])
    expect(commands({ isEnabled: false })).toEqual([])
  })

  it('asks before signing out', () => {
    expect(commands({ state: 'signed-in' }, { isAskedToSignOut: true })).toEqual(['sign-out', 'ask-sign-out'])
  })

  it('shows why an application is not signed in, and that its window crashed', () => {
    const failed = { id: 'docs', name: 'docs', status: 'failed', reason: 'unreachable' } as const
    const { apps } = view({ state: 'incomplete', apps: [failed] }, { isOpen: id => id === 'mail' })
    expect(apps).toMatchObject([
      { id: 'mail', state: null, open: { label: 'desktop.menu.show' } },
      { id: 'docs', state: 'desktop.apps.failed', reason: 'desktop.reasons.unreachable', tone: 'bad' },
    ])
    expect(view({}, { hasCrashed: () => true }).apps[0]?.reason).toBe('desktop.menu.crashed')
  })

  it('hides disabled applications and says when there are none', () => {
    expect(view({}, { apps: [app('mail', { isEnabled: false })] })).toMatchObject({
      apps: [],
      empty: 'desktop.menu.empty',
    })
  })

  it('renders any name as text', () => {
    const name = '<img src=x onerror=alert(1)>'
    const drawn = JSON.stringify(menuElements(view({}, { apps: [app('mail', { name })] })))
    expect(drawn).toContain(JSON.stringify({ tag: 'p', text: name }).slice(0, -1))
    expect(drawn).not.toContain('html')
  })
})

describe('menuCommandSchema', () => {
  it.each([
    { type: 'get-status' },
    { type: 'quit' },
    { type: 'open', appId: 'mail' },
    { type: 'ask-sign-out', isAsked: true },
  ])('accepts %o', command => expect(menuCommandSchema.safeParse(command).success).toBe(true))

  it.each([
    {},
    'quit',
    { type: 'open' },
    { type: 'open', appId: 'mail', url: 'https://stranger.example' },
    { type: 'set-enabled', isEnabled: 'yes' },
    { type: 'get-cookies' },
  ])('rejects %o', command => expect(menuCommandSchema.safeParse(command).success).toBe(false))
})
