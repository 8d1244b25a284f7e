import { DesktopError, StaleWork } from './ask'
import type { DesktopHost } from './host'
import { exchangeCeremony, startCeremony, type Exchange, type Place } from './wire'

const CEREMONY_LIMIT_IN_MS = 600_000
/** A page that has just confirmed may close before its last navigation is reported. */
const CLOSED_GRACE_IN_MS = 5000

/**
 * Lets a person sign in at the hub, in one window. Throws `DesktopError` (`cancelled`, `timed-out`, `refused`, `unreachable`),
 * and `StaleWork` when the signal is aborted.
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
  // When a window reaches the end without a confirmation, this keeps waiting.
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
    // The window may still open, or may be closed already; do not wait for either.
    void opened.then(window => window.close()).catch(() => undefined)
  }
}

/** Whether all addresses of a ceremony belong to the hub, and its completion carries exactly our nonce. */
export function isOwnCeremony(
  { url, completionUrl }: { url: string; completionUrl: string },
  hub: string,
  nonce: string,
): boolean {
  if (!URL.canParse(url) || !URL.canParse(completionUrl)) return false
  const completion = new URL(completionUrl)
  return (
    new URL(url).origin === hub && completionUrl === `${hub}${completion.pathname}?${new URLSearchParams({ nonce })}`
  )
}

/** Whether a window has reached the exact end of the ceremony: origin, path and nonce. */
export const isCompletion = (url: string, completionUrl: string): boolean =>
  URL.canParse(url) && new URL(url).href === completionUrl

const toBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCodePoint(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** Returns this many random bytes as base64url: 32 bytes are 43 characters, 48 are 64. */
export const randomText = (bytes: number): string => toBase64Url(crypto.getRandomValues(new Uint8Array(bytes)))

/** The S256 challenge of a verifier (RFC 7636 §4.2). */
export async function toChallenge(verifier: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))))
}
