import { isCompletion, isOwnCeremony } from './completion'
import { DesktopError, StaleWork } from './desktop-error'
import type { DesktopHost } from './host'
import { randomText, toChallenge } from './random-text'
import { exchangeCeremony, startCeremony, type Exchange, type Place } from './wire'

const CEREMONY_LIMIT_IN_MS = 600_000
/** A page that has just confirmed may be closed before its last navigation is told. */
const CLOSED_GRACE_IN_MS = 5000

/**
 * Lets a person sign in at the hub, in one window.
 * Throws `DesktopError` (`cancelled`, `timed-out`, `refused`, `unreachable`), and `StaleWork` when the signal is aborted.
 */
export async function holdCeremony(host: DesktopHost, hub: Place & { signal: AbortSignal }): Promise<Exchange> {
  const verifier = randomText(48)
  const nonce = randomText(32)
  const ceremony = await startCeremony(host, hub, { codeChallenge: await toChallenge(verifier), nonce })
  if (!isOwnCeremony(ceremony, hub.origin, nonce)) throw new DesktopError('refused')
  return untilConfirmed(host, hub, {
    ...ceremony,
    exchange: () => exchangeCeremony(host, hub, { id: ceremony.id, verifier }),
  })
}

interface OpenCeremony {
  url: string
  completionUrl: string
  exchange(): Promise<Exchange | undefined>
}

async function untilConfirmed(
  host: DesktopHost,
  { partition, signal }: Place & { signal: AbortSignal },
  { url, completionUrl, exchange }: OpenCeremony,
): Promise<Exchange> {
  const { promise, resolve, reject } = Promise.withResolvers<Exchange>()
  const onStale = () => reject(new StaleWork())
  signal.addEventListener('abort', onStale)
  const timers = [host.after(CEREMONY_LIMIT_IN_MS, () => reject(new DesktopError('timed-out')))]
  const held = { trying: Promise.resolve() }
  // Whoever is led to the end without having confirmed is still being waited for.
  const attempt = async () => {
    const exchanged = await exchange()
    if (exchanged) resolve(exchanged)
  }
  const opened = host.openWindow({
    partition,
    url,
    onNavigated(now) {
      if (isCompletion(now, completionUrl)) held.trying = held.trying.then(attempt).catch(reject)
    },
    onClosed() {
      const cancel = () => void held.trying.then(() => reject(new DesktopError('cancelled')))
      timers.push(host.after(CLOSED_GRACE_IN_MS, cancel))
    },
  })
  opened.catch(() => reject(new DesktopError('unreachable')))
  try {
    if (signal.aborted) onStale()
    return await promise
  } finally {
    for (const cancel of timers) cancel()
    signal.removeEventListener('abort', onStale)
    // A window may open after all, or be gone already; neither is worth waiting for.
    void opened.then(window => window.close()).catch(() => undefined)
  }
}
