const NAME = 'fairway-session'

/** Notifies the other tabs of this browser, whatever organization they show, that the session has ended. */
export function sendSignedOut(): void {
  const channel = new BroadcastChannel(NAME)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has a single origin
  channel.postMessage('signed-out')
  channel.close()
}

/** Calls `listener` when another tab has signed out. Returns a function that removes it. */
export function onSignedOut(listener: () => void): () => void {
  const channel = new BroadcastChannel(NAME)
  channel.addEventListener('message', () => listener())
  return () => channel.close()
}
