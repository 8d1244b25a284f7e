import { describe, expect, it } from 'vitest'
import { createSessionSignal } from '#fairway/app/session/session-signal'

/** Two windows of one browser without broadcast channels. Each receives an event when the other stores an item. */
function windowsWithStorageOnly() {
  const windows = [new EventTarget(), new EventTarget()]
  return windows.map((target, index) =>
    Object.assign(target, {
      localStorage: {
        setItem(key: string, newValue: string) {
          windows[1 - index]?.dispatchEvent(Object.assign(new Event('storage'), { key, newValue }))
        },
      },
    }),
  )
}

const asWindow = (target: unknown) => target as Window & typeof globalThis

describe('session signal', () => {
  it('notifies other tabs of a sign-out through a broadcast channel', async () => {
    const other = createSessionSignal(asWindow(globalThis))
    const heard = Promise.withResolvers<string>()
    const stop = other.onSignedOut(() => heard.resolve('signed out'))
    createSessionSignal(asWindow(globalThis)).sendSignedOut()
    expect(await heard.promise).toBe('signed out')
    stop()
  })

  it('notifies other tabs through a storage event when there is no broadcast channel', () => {
    const [one, two] = windowsWithStorageOnly()
    let count = 0
    createSessionSignal(asWindow(two)).onSignedOut(() => count++)
    createSessionSignal(asWindow(one)).sendSignedOut()
    expect(count).toBe(1)
  })

  it('does not call a listener after it is removed', () => {
    const [one, two] = windowsWithStorageOnly()
    let count = 0
    createSessionSignal(asWindow(two)).onSignedOut(() => count++)()
    createSessionSignal(asWindow(one)).sendSignedOut()
    expect(count).toBe(0)
  })

  it('ignores other storage keys', () => {
    const [one, two] = windowsWithStorageOnly()
    let count = 0
    createSessionSignal(asWindow(two)).onSignedOut(() => count++)
    asWindow(one).localStorage.setItem('fairway-theme', 'dark')
    expect(count).toBe(0)
  })
})
