const NAME = 'fairway-session'

export interface SessionSignal {
  /** Notifies the other tabs of this browser that the session has ended. */
  sendSignedOut(): void
  /** Calls `listener` when another tab has signed out. Returns a function that removes it. */
  onSignedOut(listener: () => void): () => void
}

/** Signals sign-out between the tabs of one browser: a broadcast channel, with a storage event as fallback. */
export function createSessionSignal(target: Window & typeof globalThis): SessionSignal {
  return 'BroadcastChannel' in target ? byChannel() : byStorage(target)
}

function byChannel(): SessionSignal {
  return {
    sendSignedOut() {
      const channel = new BroadcastChannel(NAME)
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has a single origin
      channel.postMessage('signed-out')
      channel.close()
    },
    onSignedOut(listener) {
      const channel = new BroadcastChannel(NAME)
      channel.addEventListener('message', () => listener())
      return () => channel.close()
    },
  }
}

function byStorage(target: Window): SessionSignal {
  return {
    sendSignedOut() {
      // A storage event fires only when the value changes.
      target.localStorage.setItem(NAME, crypto.randomUUID())
    },
    onSignedOut(listener) {
      const onStorage = (event: StorageEvent) => {
        if (event.key === NAME && event.newValue) listener()
      }
      target.addEventListener('storage', onStorage)
      return () => target.removeEventListener('storage', onStorage)
    },
  }
}
