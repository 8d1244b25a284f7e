import { z } from 'zod'
import { desktopCommandSchema, type DesktopAnswer, type DesktopStatus } from 'nuxt-fairway/desktop-wire'
import type { DesktopApp } from '../eligibility'

/** The commands of the menu's page: those of every page, and those that only the menu has. */
export const menuCommandSchema = z.union([
  desktopCommandSchema,
  z.strictObject({ type: z.literal('open'), appId: z.string().max(63) }),
  /** Shows the confirmation of signing out, or cancels it. */
  z.strictObject({ type: z.literal('ask-sign-out'), isAsked: z.boolean() }),
  z.strictObject({ type: z.literal('quit') }),
])
export type MenuCommand = z.infer<typeof menuCommandSchema>

/** Returns the text of a key of the catalog; `n` selects singular or plural. */
export type Texts = (key: string, values?: Readonly<Record<string, string | number>>) => string

export interface MenuButton {
  label: string
  /** The accessible name where the label alone is not clear enough. */
  name?: string
  kind: 'primary' | 'plain' | 'danger'
  isDisabled: boolean
  command: MenuCommand
}

/** The content that the page draws; all of it is text. */
export interface MenuView {
  title: string
  hub: string
  state: DesktopStatus['state']
  lines: string[]
  notice: string | null
  listName: string
  apps: {
    id: string
    name: string
    state: string | null
    tone: 'good' | 'bad' | 'plain'
    reason: string | null
    open: MenuButton
  }[]
  empty: string | null
  buttons: MenuButton[]
  preference: { label: string; text: string; isOn: boolean }
  quit: MenuButton
}

export interface MenuInput {
  status: DesktopStatus
  hub: string
  apps: readonly DesktopApp[]
  isOpen(appId: string): boolean
  hasCrashed(appId: string): boolean
  isAskedToSignOut: boolean
  /** The reason why the previous command failed. */
  failure: Extract<DesktopAnswer, { ok: false }>['code'] | 'not-opened' | null
}

/** Returns the current menu in the person's language. */
export function menuView(input: MenuInput, texts: Texts): MenuView {
  const { status, hub, apps, failure } = input
  const shown = apps.filter(({ isEnabled }) => isEnabled)
  return {
    title: texts('desktop.menu.title'),
    hub: new URL(hub).host,
    state: status.state,
    lines: linesOf(status, texts),
    notice: failure && `${texts('desktop.failed')} ${texts(`desktop.failures.${failure}`)}`,
    listName: texts('desktop.apps.label'),
    apps: shown.map(app => toRow(app, input, texts)),
    empty: shown.length === 0 ? texts('desktop.menu.empty') : null,
    buttons: buttonsOf(input, texts),
    preference: { label: texts('desktop.enabled'), text: texts('desktop.enabledText'), isOn: status.isEnabled },
    quit: plain(texts('desktop.menu.quit'), { type: 'quit' }),
  }
}

function linesOf({ isEnabled, isAvailable, state, reason, email, apps }: DesktopStatus, texts: Texts): string[] {
  if (!isEnabled) return [texts('desktop.off')]
  if (!isAvailable && state === 'idle') return [texts('desktop.menu.unavailable')]
  const wanted = apps.filter(({ status }) => status !== 'not-eligible')
  const done = wanted.filter(({ status }) => status === 'signed-in').length
  return [
    texts(`desktop.states.${state}`),
    ...(reason ? [texts(`desktop.reasons.${reason}`)] : []),
    ...(email ? [texts('desktop.account', { email })] : []),
    ...(wanted.length > 0 ? [texts('desktop.progress', { done, all: wanted.length })] : []),
  ]
}

function toRow({ id, name }: DesktopApp, input: MenuInput, texts: Texts): MenuView['apps'][number] {
  const progress = input.status.apps.find(app => app.id === id)
  const crashed = input.hasCrashed(id) ? texts('desktop.menu.crashed') : null
  const label = texts(input.isOpen(id) ? 'desktop.menu.show' : 'desktop.menu.open')
  return {
    id,
    name,
    state: progress ? texts(`desktop.apps.${progress.status}`) : null,
    tone: toneOf(progress?.status),
    reason: crashed ?? (progress?.reason ? texts(`desktop.reasons.${progress.reason}`) : null),
    open: { ...plain(label, { type: 'open', appId: id }), name: `${label}: ${name}` },
  }
}

const toneOf = (status: DesktopStatus['apps'][number]['status'] | undefined) => {
  if (status === 'failed') return 'bad'
  return status === 'signed-in' ? 'good' : 'plain'
}

const plain = (label: string, command: MenuCommand): MenuButton => ({
  label,
  command,
  kind: 'plain',
  isDisabled: false,
})

function buttonsOf({ status, isAskedToSignOut }: MenuInput, texts: Texts): MenuButton[] {
  const { state, isEnabled, isAvailable, apps } = status
  if (!isEnabled) return []
  const isWorking = state === 'signing-in'
  const maySignIn = isAvailable && state !== 'signed-in' && state !== 'incomplete'
  const n = apps.filter(app => app.status !== 'not-eligible').length
  const signOut: MenuButton[] = isAskedToSignOut
    ? [
        { ...plain(texts('desktop.signOutNow', { n }), { type: 'sign-out' }), kind: 'danger' },
        plain(texts('desktop.menu.staySignedIn'), { type: 'ask-sign-out', isAsked: false }),
      ]
    : [plain(texts('desktop.signOut'), { type: 'ask-sign-out', isAsked: true })]
  return [
    ...(maySignIn
      ? [{ ...plain(texts('desktop.signIn'), { type: 'sign-in' }), kind: 'primary' as const, isDisabled: isWorking }]
      : []),
    ...(state === 'incomplete'
      ? [{ ...plain(texts('desktop.retry'), { type: 'retry' }), kind: 'primary' as const }]
      : []),
    ...(state === 'idle' ? [] : signOut),
  ]
}
