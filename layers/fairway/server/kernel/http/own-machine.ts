// Vite's files, the development account, the outbox and DevTools are only for the developer's own browser. One check protects all
// four.
import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Config } from '#fairway/server/kernel/config/config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { canonicalAddress } from '#fairway/server/kernel/http/client-address'
import { isLoopbackAuthority, isLoopbackHost } from '#fairway/shared/loopback'

/** Headers that proxies and tunnels add. A local program that sends one is also refused. */
const FORWARDING =
  /^(?:(?:x-)?forwarded(?:-.*)?|x-original-(?:host|for|forwarded-.*)|via|cdn-loop|cf-.*|(?:(?:x-)?real|true-client|x-client|x-cluster-client|fastly-client|fly-client)-ip|x-envoy-external-address)$/

/**
 * The origin of a request to the development server. Its thread listens on a Unix socket without an address, so the server in
 * front replaces this header in every request.
 */
export const SENT_FROM = 'x-fairway-sent-from'
export const THIS_MACHINE = 'this machine'

/** Returns `THIS_MACHINE` for a request that a program of this machine sent directly, otherwise the reason why it is not one. */
export function sentFrom({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): string {
  // Only this machine can open a Unix socket, and the development server does.
  if (socket instanceof Socket && !socket.destroyed && socket.remoteAddress === undefined)
    return headers[SENT_FROM]?.toString() ?? 'The request did not come through the development server.'
  const address = canonicalAddress(socket?.remoteAddress ?? '')
  if (!isLoopbackHost(address.includes(':') ? `[${address}]` : address))
    return 'Open this on the machine that runs the development server.'
  const header = Object.keys(headers).find(name => FORWARDING.test(name))
  return header ? `The request came through a proxy or a tunnel (${header}). Open it at localhost.` : THIS_MACHINE
}

/** Returns why a request is not from the developer's own machine; undefined when it is. */
export function ownMachineFault(
  request: Pick<IncomingMessage, 'socket' | 'headers'>,
  { isOwnMachine }: Pick<Config, 'isOwnMachine'>,
): string | undefined {
  if (!isOwnMachine)
    return 'The server listens to others, or FW_DISABLE_AUTO_DEV_ACCOUNT is set. Start `nuxt dev` without `--host` or `--tunnel`.'
  const from = sentFrom(request)
  if (from !== THIS_MACHINE) return from
  // Checks for a name of this machine, because a foreign name may resolve to it (DNS rebinding).
  if (!isLoopbackAuthority(request.headers.host))
    return 'Open this at localhost: other names may lead here from elsewhere.'
  return undefined
}

/** Throws `forbidden`, with the reason, for an exposed server, another machine, a proxy, a tunnel or a name that is not this machine's. */
export function checkOwnMachine(...input: Parameters<typeof ownMachineFault>): void {
  const detail = ownMachineFault(...input)
  if (detail !== undefined) throw new AppError('forbidden', { detail })
}
